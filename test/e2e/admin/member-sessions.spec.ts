import { uuidv7 } from '#libs/kernel/id.js';
import { generateKey } from '#libs/auth/api-key.js';
import { AUDITED } from '../../harness/audit.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform } from '../../harness/platform.js';
import { change, keyWorks, type Membership, MEMBERSHIPS, type Page, person } from './people-calls.js';

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());

const rows = <R extends object>(text: string, values: unknown[] = []) => asAdmin<R>(platform.database, text, values);

describe('resetting sessions', () => {
  it('counts ended sessions and raises the epoch each time', async () => {
    const tenant = await platform.tenant();
    const { id, api } = await person(platform, tenant, 'member');
    const reset = (body?: object) => tenant.api.post(`${MEMBERSHIPS}/${id}/reset-session`, body);
    expect(await reset()).toMatchObject({ status: 200, body: { revokedKeys: 0, sessionEpoch: 2 } });
    expect(await keyWorks(api)).toBe(200);
    for (const includeOauthGrants of [true, false])
      expect(await reset({ includeOauthGrants })).toMatchObject({ status: 200, body: { revokedTokens: 0 } });
    expect(await reset({ reason: 'Lost laptop', includeApiKeys: true })).toMatchObject({
      body: { revokedSessions: 0, revokedTokens: 0, revokedKeys: 1, sessionEpoch: 5 },
    });
    expect(await keyWorks(api)).toBe(401);
    const [{ entry }] = (await rows<{ entry: string }>(
      `select ${AUDITED} as entry from data.audit_log where target_id = $1 and action = 'core.membership.sessions_reset'
       order by occurred_at desc, id desc limit 1`,
      [id],
    )) as [{ entry: string }];
    expect(JSON.parse(entry)).toMatchObject({ reason: 'Lost laptop', changes: { sessionEpoch: { from: 4, to: 5 } } });
    expect(await tenant.api.post(`${MEMBERSHIPS}/${uuidv7()}/reset-session`)).toMatchObject({ status: 404 });
  });
});

describe('a session', () => {
  /** Signs a member in; returns the headers for their requests. */
  async function signIn(tenantId: string, memberId: string, secondFactorAt: string | null) {
    const { text, keyId, hash } = generateKey('session');
    const [id, userId] = [uuidv7(), uuidv7()];
    const at = new Date(platform.clock.nowMs()).toISOString();
    const until = new Date(platform.clock.nowMs() + 3_600_000).toISOString();
    await rows(
      `insert into directory.users (id, issuer, subject, created_at, last_sign_in_at)
       values ($1, 'https://id.example', $2, $3, $3)`,
      [userId, userId, at],
    );
    await rows(
      `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
         allow_protected, allowed_cidrs, created_at, expires_at, member_id)
       values ($1, $2, 'session', $3, $1, 'session', $4, '{*}', false, '{}', $5, $6, $7)`,
      [id, tenantId, keyId, hash, at, until, memberId],
    );
    await rows(
      `insert into directory.sessions (credential_id, tenant_id, member_id, user_id, methods, multi_factor_at,
         idle_seconds, expires_at, created_at)
       values ($1, $2, $3, $4, '{pwd,otp}', $5, 3600, $6, $7)`,
      [id, tenantId, memberId, userId, secondFactorAt, until, at],
    );
    return { authorization: `Bearer ${text}` };
  }

  it('is counted with its factors, ended by reset and suspension, and counted separately from keys', async () => {
    const tenant = await platform.tenant();
    const [strong, weak] = [await person(platform, tenant, 'member'), await person(platform, tenant, 'member')];
    const factorAt = '2026-11-21T08:59:40.020Z';
    const mine = await signIn(tenant.id, strong.id, factorAt);
    const theirs = await signIn(tenant.id, weak.id, null);
    const use = async (headers: Record<string, string>) =>
      (await platform.anonymous().get('/api/v1/sales/deals', headers)).status;
    expect([await use(mine), await use(theirs)]).toEqual([200, 200]);
    expect(await tenant.api.get(`${MEMBERSHIPS}/${strong.id}`)).toMatchObject({
      body: { activeSessions: 1, apiKeyCount: 1, mfa: { satisfied: true, methods: ['pwd', 'otp'], at: factorAt } },
    });
    const { data } = (await tenant.api.get<Page<Membership>>(`${MEMBERSHIPS}?withoutMfa=true`)).body;
    expect(data.map(({ id }) => id)).toEqual([weak.id]);
    expect(await tenant.api.post(`${MEMBERSHIPS}/${strong.id}/reset-session`)).toMatchObject({
      body: { revokedSessions: 1, revokedKeys: 0 },
    });
    expect([await use(mine), await keyWorks(strong.api)]).toEqual([401, 200]);
    expect((await change(tenant.api, weak.id, { status: 'suspended' })).body.effects).toEqual([
      { type: 'sessions_ended', count: 1, jobId: null },
      { type: 'keys_paused', count: 1, jobId: null },
    ]);
    await change(tenant.api, weak.id, { status: 'active' });
    expect([await use(theirs), await keyWorks(weak.api)]).toEqual([401, 200]);
  });
});
