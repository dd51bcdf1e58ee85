import { AUDITED } from '../../harness/audit.js';
import type { TestTenant } from '../../harness/platform.js';
import { startPlatform } from '../../harness/platform.js';
import { CredentialUses } from '#libs/auth/credential-uses.js';
import { HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { type Door, openDoor } from './door.js';

interface Page {
  [member: string]: unknown;
  data: { id: string }[];
  page: { nextCursor: string | null };
}

const REFUSED = { status: 401, body: { code: 'unauthenticated' } };

const door: Door = await openDoor();
afterAll(() => door.close());

let tenant: TestTenant;
let session: Awaited<ReturnType<Door['signedIn']>>;
beforeEach(async () => {
  tenant = await door.platform.tenant();
  session = await door.signedIn(tenant);
});

const reasonsOf = async (id: string): Promise<string[]> => {
  const rows = await door.sql<{ entry: string }>(
    `select ${AUDITED} as entry from data.audit_log where action = 'auth.credential.refused' and target_id = $1 order by id`,
    [id],
  );
  return rows.map(({ entry }) => (JSON.parse(entry) as { reason: string }).reason);
};

describe('a session', () => {
  it('says who it is', async () => {
    const answer = await door.as(session.token, { 'user-agent': 'Browser/1' }).get('/api/auth/session');
    expect(answer).toMatchObject({
      status: 200,
      body: {
        kind: 'session',
        session: { id: session.session.id, membershipId: session.membership.id, revokedAt: null },
        membership: session.membership,
        tenant: { id: tenant.id, slug: tenant.slug },
      },
    });
    expect(await tenant.api.get('/api/auth/session')).toMatchObject({
      status: 200,
      body: { kind: 'api_key', session: null, membership: null, tenant: { id: tenant.id } },
    });
  });

  it('is listed with the others of the person, page by page', async () => {
    for (let more = 0; more < 2; more++) await door.signIn(tenant, await door.issuer.token({ ...session.claims }));
    const { get } = door.as(session.token);
    const all = await get<Page>('/api/auth/sessions');
    expect(all.body).toMatchObject({ data: { length: 3 }, page: { hasMore: false, nextCursor: null } });
    const first = await get<Page>('/api/auth/sessions?limit=2');
    const rest = await get<Page>(`/api/auth/sessions?limit=2&cursor=${first.body.page.nextCursor}`);
    expect([...first.body.data, ...rest.body.data].map(({ id }) => id)).toEqual(all.body.data.map(({ id }) => id));
    const foreign = await get(`/api/auth/sessions?limit=2&cursor=${first.body.page.nextCursor!.slice(1)}`);
    expect(foreign).toMatchObject({ status: 400, body: { code: 'cursor_invalid' } });
  });

  it('is for its tenant alone, which need not be named', async () => {
    const other = await door.platform.tenant();
    expect(await door.as(session.token, { 'x-tenant-slug': tenant.slug }).get('/api/auth/session')).toMatchObject({
      status: 200,
    });
    expect(await door.as(session.token, { 'x-tenant-slug': other.slug }).get('/api/auth/session')).toMatchObject(
      REFUSED,
    );
  });

  it('is a bearer token and no API key', async () => {
    const answer = await door.anonymous.get('/api/auth/session', { 'x-api-key': session.token });
    expect(answer).toMatchObject(REFUSED);
    expect(await reasonsOf(session.session.id)).toEqual(['wrong_kind']);
  });

  it('does not work on SCIM routes', async () => {
    const answer = await door.as(session.token).get('/api/scim/v2/Users');
    expect(answer.status).toBe(401);
  });

  it('may do what the member may, and no more from the moment they may less', async () => {
    await door.sql(`delete from data.role_assignments where membership_id = $1`, [session.membership.id]);
    await door.sql(
      `insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at)
      values ($1, $2, '00000000-0000-7000-8000-000000000005', now())`,
      [tenant.id, session.membership.id],
    );
    const api = door.as(session.token);
    expect((await api.get('/api/v1/sales/deals')).status).toBe(200);
    expect(await api.post('/api/v1/sales/deals', { name: 'No', value: 1 })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    });
  });

  it('ends with the membership', async () => {
    const api = door.as(session.token);
    expect((await api.get('/api/v1/sales/deals')).status).toBe(200);
    await door.sql(`update data.memberships set status = 'suspended', version = version + 1 where id = $1`, [
      session.membership.id,
    ]);
    expect(await api.get('/api/v1/sales/deals')).toMatchObject(REFUSED);
    expect(await reasonsOf(session.session.id)).toEqual(['membership_suspended']);
  });
});

describe('ending sessions', () => {
  it('one of your own, from another, in force on the next request of every process', async () => {
    const second = await startPlatform({ shared: door.platform.database });
    try {
      const other = await door.signIn(tenant, await door.issuer.token(session.claims));
      const api = door.as(session.token);
      const { body } = await api.get<{ data: { id: string }[] }>('/api/auth/sessions');
      expect(body.data.map(({ id }) => id)).toEqual([other.body.session.id, session.session.id]);
      const there = () =>
        second.anonymous().get('/api/v1/sales/deals', { authorization: `Bearer ${other.body.token}` });
      expect((await there()).status).toBe(200);
      expect(await api.delete(`/api/auth/sessions/${other.body.session.id}`)).toMatchObject({
        status: 200,
        body: { id: other.body.session.id, deleted: true },
      });
      expect(await there()).toMatchObject(REFUSED);
      expect(await api.delete(`/api/auth/sessions/${other.body.session.id}`)).toMatchObject({ status: 404 });
      expect((await api.get<{ data: object[] }>('/api/auth/sessions')).body.data).toHaveLength(1);
    } finally {
      await second.close();
    }
  });

  it('not those of others, without the permission', async () => {
    const victim = await door.signedIn(tenant);
    const { api } = await door.platform.member(tenant, 'Bo', ['*'], { roles: ['member'] });
    expect(await api.delete(`/api/auth/sessions/${victim.session.id}`)).toMatchObject({ status: 403 });
    expect(await tenant.api.delete(`/api/auth/sessions/${victim.session.id}`)).toMatchObject({ status: 200 });
    expect(await door.as(victim.token).get('/api/auth/session')).toMatchObject(REFUSED);
  });

  it('not those of other tenants', async () => {
    const other = await door.platform.tenant();
    expect(await other.api.delete(`/api/auth/sessions/${session.session.id}`)).toMatchObject({ status: 404 });
    expect((await door.as(session.token).get('/api/auth/session')).status).toBe(200);
  });

  it('by signing out; an API key goes on', async () => {
    const api = door.as(session.token);
    expect(await api.post('/api/auth/logout')).toMatchObject({ status: 200, body: { sessionId: session.session.id } });
    expect(await api.get('/api/auth/session')).toMatchObject(REFUSED);
    const rows = await door.sql(`select type from data.events where subject_id = $1 order by id`, [session.session.id]);
    expect(rows).toEqual([{ type: 'auth.session.created' }, { type: 'auth.session.revoked' }]);
    expect(await tenant.api.post('/api/auth/logout')).toMatchObject({ status: 200, body: { sessionId: null } });
    expect((await tenant.api.get('/api/auth/session')).status).toBe(200);
  });
});

describe('the time of a session', () => {
  it('ends at its hour, as the settings say', async () => {
    await tenant.api.patch('/api/admin/settings', { security: { sessionHours: 2, idleMinutes: 1_440 } });
    const short = await door.signedIn(tenant);
    const now = door.platform.clock.nowMs();
    expect(Math.abs(Date.parse(short.expiresAt) - now - 2 * HOUR_MS)).toBeLessThan(MINUTE_MS);
    expect(short.idleExpiresAt).toBe(short.expiresAt);
    const api = door.as(short.token);
    door.platform.clock.advance(2 * HOUR_MS - MINUTE_MS);
    expect((await api.get('/api/auth/session')).status).toBe(200);
    door.platform.clock.advance(2 * MINUTE_MS);
    expect(await api.get('/api/auth/session')).toMatchObject(REFUSED);
    expect(await reasonsOf(short.session.id)).toEqual(['expired']);
  });

  it('ends when it lies idle, not while it is used', async () => {
    const api = door.as(session.token);
    for (let i = 0; i < 3; i++) {
      door.platform.clock.advance(59 * MINUTE_MS);
      expect((await api.get('/api/auth/session')).status).toBe(200);
      await door.platform.app.get(CredentialUses, { strict: false }).flush();
    }
    door.platform.clock.advance(62 * MINUTE_MS);
    expect(await api.get('/api/auth/session')).toMatchObject(REFUSED);
    expect(await reasonsOf(session.session.id)).toEqual(['idle']);
    const { data } = (
      await (
        await door.platform.key(tenant, ['*'], { memberId: session.membership.id })
      ).get<{
        data: object[];
      }>('/api/auth/sessions')
    ).body;
    expect(data).toEqual([]);
  });

  it('is not over while another process sees it used', async () => {
    const api = door.as(session.token);
    expect((await api.get('/api/auth/session')).status).toBe(200);
    door.platform.clock.advance(61 * MINUTE_MS);
    await door.sql(
      `insert into directory.credential_uses (credential_id, last_used_at) values ($1, $2)
      on conflict (credential_id) do update set last_used_at = excluded.last_used_at`,
      [session.session.id, new Date(door.platform.clock.nowMs() - MINUTE_MS)],
    );
    expect((await api.get('/api/auth/session')).status).toBe(200);
  });
});

describe('several factors', () => {
  const seconds = (agoMs: number): number => Math.floor((door.platform.clock.nowMs() - agoMs) / 1_000);
  const cases: [string, object, boolean][] = [
    ['the provider says so', { amr: ['mfa'] }, true],
    ['methods of two kinds', { amr: ['pwd', 'otp'] }, true],
    ['two of one kind', { amr: ['pwd', 'pin'] }, false],
    ['one', { amr: ['pwd'] }, false],
    ['what the provider does not say', {}, false],
    ['no words', { amr: [7, { mfa: true }] }, false],
    ['a text in place of a list', { amr: 'mfa' }, true],
    ['a text that is no second factor', { amr: 'pwd' }, false],
    ['any case', { amr: ['PWD', 'MFA'] }, true],
    ...['otp', 'hwk', 'fido', 'face', 'fpt', 'mca', 'ngcmfa'].flatMap((method): [string, object, boolean][] => [
      [`${method} beside a password`, { amr: ['pwd', method] }, true],
      [`${method} in place of a password`, { amr: [method, 'user'] }, true],
    ]),
    ['a policy of PAPE', { acr: 'http://schemas.openid.net/pape/policies/2007/06/multi-factor' }, true],
    ['a sign-in that resists phishing', { acr: 'phr', amr: ['pwd'] }, true],
    ['a sign-in with hardware', { acr: 'phrh' }, true],
    ['another acr', { acr: '1', amr: ['pwd'] }, false],
    ['an acr that is no text', { acr: ['phr'] }, false],
  ];

  it.each(cases)('%s', async (_what, claims, isMulti) => {
    const authTime = seconds(MINUTE_MS);
    const { session: opened } = await door.signedIn(tenant, { auth_time: authTime, ...claims });
    expect(opened.multiFactorAt).toBe(isMulti ? new Date(authTime * 1_000).toISOString() : null);
  });

  it('count for nothing when their age is not known', async () => {
    const { session: opened } = await door.signedIn(tenant, { amr: ['mfa'] });
    expect(opened).toMatchObject({ multiFactorAt: null, authMethods: ['mfa'] });
  });

  it.each([
    ['an hour', -60 * MINUTE_MS],
    ['two minutes', -2 * MINUTE_MS],
    ['a second', -1_000],
  ])('count for nothing when the token says that they will be seen in %s', async (_when, agoMs) => {
    const owner = await door.signedIn(tenant, { amr: ['mfa'], iat: seconds(0), auth_time: seconds(agoMs) });
    expect(owner.session).toMatchObject({ multiFactorAt: null, authTime: null });
    const invite = { email: 'boss@example.test', roleIds: ['00000000-0000-7000-8000-000000000002'] };
    expect(await door.as(owner.token).post('/api/admin/invitations', invite)).toMatchObject({
      status: 403,
      body: { code: 'step_up_required' },
    });
  });

  it('count from now on when the clock of the provider is a little ahead', async () => {
    const before = door.platform.clock.nowMs();
    const ahead = seconds(-MINUTE_MS / 2);
    const owner = await door.signedIn(tenant, { amr: ['mfa'], iat: ahead, auth_time: ahead });
    const at = Date.parse(owner.session.multiFactorAt!);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(door.platform.clock.nowMs());
  });

  it('count for nothing when what is stored of them lies ahead', async () => {
    const owner = await door.signedIn(tenant, { amr: ['mfa'], auth_time: seconds(0) });
    await door.sql(
      `update directory.sessions set multi_factor_at = multi_factor_at + interval '1 day' where credential_id = $1`,
      [owner.session.id],
    );
    await door.sql(`update directory.tenants set epoch = epoch + 1 where id = $1`, [tenant.id]);
    const invite = { email: 'b3@example.test', roleIds: ['00000000-0000-7000-8000-000000000002'] };
    expect(await door.as(owner.token).post('/api/admin/invitations', invite)).toMatchObject({
      status: 403,
      body: { code: 'step_up_required' },
    });
  });

  it('open protected operations for 15 minutes', async () => {
    const invite = { email: 'boss@example.test', roleIds: ['00000000-0000-7000-8000-000000000002'] };
    const owner = await door.signedIn(tenant, { amr: ['mfa'], auth_time: seconds(14 * MINUTE_MS) });
    expect(await door.as(owner.token).post('/api/admin/invitations', invite)).toMatchObject({
      status: 200,
      body: { data: [{ ok: true }] },
    });
    door.platform.clock.advance(2 * MINUTE_MS);
    const later = await door.as(owner.token).post('/api/admin/invitations', { ...invite, email: 'b2@example.test' });
    expect(later).toMatchObject({ status: 403, body: { code: 'step_up_required' } });
  });
});
