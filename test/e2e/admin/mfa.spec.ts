import { DAY_MS } from '#libs/kernel/durations.js';
import type { Answer } from '../../harness/client.js';
import { AUDITED } from '../../harness/audit.js';
import { replaceGates } from '../../harness/gates.js';
import type { TestTenant } from '../../harness/platform.js';
import { type Door, fromSomewhere, openDoor } from '../auth/door.js';
import { person } from './people-calls.js';

type Json = Record<string, unknown>;

const MFA = '/api/admin/security/mfa';
const DEALS = '/api/v1/sales/deals';

const door: Door = await openDoor();
afterAll(() => door.close());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await door.platform.tenant();
});

const seconds = () => Math.floor(door.platform.clock.nowMs() / 1_000);
const PROOFS = { none: ['pwd'], totp: ['pwd', 'otp'], sms: ['pwd', 'sms'], vouched: ['mfa'] };
type Proof = keyof typeof PROOFS;

/** A member with a role, signed in with the given factors. */
async function signedIn(role: string, proof: Proof, where = tenant) {
  const { id } = await door.platform.member(where, `${role} with ${proof}`, ['*'], { roles: [role] });
  const claims = { sub: `s-${id}`, email: `${id}@example.test`, email_verified: true, amr: PROOFS[proof] };
  const { body } = await door.signIn(where, await door.issuer.token({ ...claims, auth_time: seconds() }));
  const session = door.as(body.token);
  const change = (change: Json): Promise<Answer> =>
    door.anonymous.patch(MFA, change, { ...fromSomewhere(), authorization: `Bearer ${body.token}` });
  return { id, claims, token: body.token, ...session, change };
}

const set = async (change: Json) => {
  const answer = await tenant.api.patch<Json>(MFA, change);
  expect(answer.status).toBe(200);
  return answer.body;
};

describe('the MFA policy', () => {
  const OK = 200;
  it.each<[string, string, Proof, number]>([
    ['optional', 'owner', 'none', OK],
    ['admins', 'owner', 'none', 403],
    ['admins', 'admin', 'none', 403],
    ['admins', 'owner', 'totp', OK],
    ['admins', 'member', 'none', OK],
    ['all', 'member', 'none', 403],
    ['all', 'member', 'totp', OK],
    ['all', 'member', 'vouched', OK],
    ['all', 'member', 'sms', 403],
  ])('%s: %s with %s', async (policy, role, proof, status) => {
    const person = await signedIn(role, proof);
    expect((await person.get(DEALS)).status).toBe(OK);
    await set({ policy, allowedMethods: ['totp', 'webauthn'] });
    const answer = await person.get(DEALS);
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body).toMatchObject({ code: 'mfa_required' });
    for (const path of ['/api/auth/session', '/api/auth/sessions']) expect((await person.get(path)).status).toBe(OK);
    const key = await door.platform.key(tenant, ['*'], { memberId: person.id });
    expect((await key.get(DEALS)).status).toBe(OK);
  });

  it('is that of the current tenant, also after switching', async () => {
    const person = await signedIn('member', 'none');
    const other = await door.platform.tenant();
    const there = await door.platform.member(other, 'The same', ['*'], { roles: ['member'] });
    await door.sql(`update data.memberships set email = $2, version = version + 1 where id = $1`, [
      there.id,
      person.claims.email,
    ]);
    await other.api.patch(MFA, { policy: 'all' });
    const moved = await person.post<Json>('/api/auth/switch-tenant', { tenantSlug: other.slug });
    const inOther = door.as(String(moved.body['token']));
    expect(await inOther.get(DEALS)).toMatchObject({ status: 403, body: { code: 'mfa_required' } });
    expect((await person.get(DEALS)).status).toBe(200);
    const back = await inOther.post<Json>('/api/auth/switch-tenant', { tenantSlug: tenant.slug });
    expect((await door.as(String(back.body['token'])).get(DEALS)).status).toBe(200);
  });

  it('grants a grace period that also ends for open sessions', async () => {
    const person = await signedIn('member', 'none');
    const { effectiveAt } = await set({ policy: 'all', gracePeriodDays: 2 });
    expect(Date.parse(String(effectiveAt)) - door.platform.clock.nowMs()).toBeGreaterThan(1.9 * DAY_MS);
    expect((await person.get(DEALS)).status).toBe(200);
    door.platform.clock.advance(2 * DAY_MS + 60_000);
    const again = await door.signIn(tenant, await door.issuer.token({ ...person.claims, auth_time: seconds() }));
    expect(await door.as(again.body.token).get(DEALS)).toMatchObject({ status: 403, body: { code: 'mfa_required' } });
  });

  it('lists who would be locked out in a dry run without changing anything', async () => {
    const person = await signedIn('admin', 'none');
    await signedIn('owner', 'totp');
    await signedIn('member', 'none');
    const dry = await set({ policy: 'admins', dryRun: true });
    expect(dry).toMatchObject({
      policy: 'admins',
      dryRun: true,
      coverage: { satisfied: 1, missing: 1, members: [{ id: person.id }] },
    });
    expect((await person.get(DEALS)).status).toBe(200);
    expect(await set({ dryRun: true })).toMatchObject({ policy: 'optional', effectiveAt: null });
  });

  it('cannot be enabled by a caller who would lock themselves out', async () => {
    const owner = await signedIn('owner', 'totp');
    expect(await owner.change({ policy: 'all', allowedMethods: ['webauthn'] })).toMatchObject({
      status: 403,
      body: { code: 'mfa_required' },
    });
    expect(await owner.change({ policy: 'all', allowedMethods: ['totp'], reason: 'Audit' })).toMatchObject({
      status: 200,
    });
    const weak = await signedIn('owner', 'none');
    expect(await weak.change({ policy: 'optional' })).toMatchObject({ status: 403, body: { code: 'mfa_required' } });
    const [row] = await door.sql<{ entry: string }>(
      `select ${AUDITED} as entry from data.audit_log where tenant_id = $1 and action = 'security.mfa.updated'`,
      [tenant.id],
    );
    expect(JSON.parse(row!.entry)).toMatchObject({
      reason: 'Audit',
      changes: { policy: { from: 'optional', to: 'all' } },
    });
  });

  it('sets the maximum age of a second factor for protected operations', async () => {
    const owner = await signedIn('owner', 'totp');
    await set({ stepUpMaxAgeMinutes: 30 });
    door.platform.clock.advance(20 * 60_000);
    expect((await owner.change({ dryRun: true })).status).toBe(200);
    await set({ stepUpMaxAgeMinutes: 5 });
    expect(await owner.change({ dryRun: true })).toMatchObject({ status: 403, body: { code: 'step_up_required' } });
  });

  it('is returned with the members without the factor and the end of the grace period', async () => {
    expect((await tenant.api.get<Json>(MFA)).body).toMatchObject({ version: 1, policy: 'optional', graceEndsAt: null });
    const person = await signedIn('admin', 'none');
    const { effectiveAt } = await set({ policy: 'admins', gracePeriodDays: 2 });
    const read = async () => (await tenant.api.get<Json>(MFA)).body;
    expect(await read()).toMatchObject({
      version: 2,
      policy: 'admins',
      effectiveAt,
      graceEndsAt: effectiveAt,
      coverage: { missing: 1, members: [{ id: person.id }] },
    });
    door.platform.clock.advance(2 * DAY_MS + 60_000);
    expect(await read()).toMatchObject({ effectiveAt, graceEndsAt: null });
    const { api } = await door.platform.member(tenant, 'Mia', ['*'], { roles: ['manager'] });
    expect(await api.get(MFA)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });

  it('emits one event per change, with the previous values', async () => {
    await set({ policy: 'admins', reason: 'Audit' });
    await set({ policy: 'admins' });
    const told = await door.sql<{ envelope: string }>(
      `select envelope from data.events where tenant_id = $1 and type = 'security.mfa.updated'`,
      [tenant.id],
    );
    expect(told.map(({ envelope }) => JSON.parse(envelope) as Json)).toMatchObject([
      {
        subject: { type: 'security.mfa', version: 2 },
        data: { policy: 'admins' },
        changes: { policy: { to: 'admins' } },
      },
    ]);
  });

  it('loses no concurrent change', async () => {
    await Promise.all([set({ stepUpMaxAgeMinutes: 30 }), set({ allowedMethods: ['totp'] }), set({ policy: 'admins' })]);
    expect((await tenant.api.get<Json>(MFA)).body).toMatchObject({
      ...{ version: 4, stepUpMaxAgeMinutes: 30, allowedMethods: ['totp'], policy: 'admins' },
    });
  });

  it.each<[Json]>([
    [{ policy: 'off' }],
    [{ gracePeriodDays: 31 }],
    [{ stepUpMaxAgeMinutes: 4 }],
    [{ allowedMethods: [] }],
  ])('refuses %j', async (change) => {
    expect(await tenant.api.patch(MFA, change)).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  });
});

describe('weaker rules', () => {
  const strict = { policy: 'all', gracePeriodDays: 0, allowedMethods: ['totp', 'push'], stepUpMaxAgeMinutes: 20 };
  const gate = (effect: string) => replaceGates(tenant.api, [{ key: 'mfa.weaken', effect }]);
  const owners = async () => [
    (await person(door.platform, tenant, 'owner')).api,
    (await person(door.platform, tenant, 'owner')).api,
  ];
  type Waiting = { pendingApproval: { id: string } | null };

  it.each<[string, Json, boolean]>([
    ['nobody', { policy: 'optional' }, true],
    ['fewer people', { policy: 'admins' }, true],
    ['a new grace', { gracePeriodDays: 3 }, true],
    ['another method', { allowedMethods: ['totp', 'push', 'sms'] }, true],
    ['older factors', { stepUpMaxAgeMinutes: 21 }, true],
    ['fewer methods', { allowedMethods: ['totp'] }, false],
    ['younger factors', { stepUpMaxAgeMinutes: 10 }, false],
  ])('for %s: wait at the gate if they are weaker', async (_, change, waits) => {
    await set(strict);
    await gate('require_approval');
    const [owner, other] = await owners();
    const answer = await owner!.patch<Json & Waiting>(MFA, change);
    expect(answer.status).toBe(200);
    if (!waits) return expect(answer.body).toMatchObject({ version: 3, ...change, pendingApproval: null });
    const { coverage: _coverage, ...before } = (await tenant.api.get<Json>(MFA)).body;
    expect(answer.body).toMatchObject({ ...before, version: 2, pendingApproval: { status: 'pending' } });
    const { id } = answer.body.pendingApproval!;
    expect(await owner!.patch(MFA, change)).toMatchObject({ status: 409, body: { code: 'approval_pending' } });
    expect((await other!.post<Json>(`/api/home/approvals/${id}/approve`)).body).toMatchObject({ status: 'executed' });
    expect((await tenant.api.get<Json>(MFA)).body).toMatchObject({ version: 3, ...change });
  });

  it('are not applied if the policy has changed in the meantime', async () => {
    await set(strict);
    await gate('require_approval');
    const [owner, other] = await owners();
    const { body } = await owner!.patch<Waiting>(MFA, { policy: 'admins' });
    await set({ stepUpMaxAgeMinutes: 10 });
    const path = `/api/home/approvals/${body.pendingApproval!.id}/approve`;
    expect((await other!.post<Json>(path)).body).toMatchObject({ status: 'failed' });
    expect((await tenant.api.get<Json>(MFA)).body).toMatchObject({ version: 3, policy: 'all' });
  });

  it('are rejected if the gate denies them, and applied without a gate', async () => {
    await set(strict);
    await gate('deny');
    const [owner] = await owners();
    expect(await owner!.patch(MFA, { policy: 'admins' })).toMatchObject({
      status: 403,
      body: { code: 'gate_denied', gate: 'mfa.weaken' },
    });
    expect(await owner!.patch(MFA, { policy: 'admins', dryRun: true })).toMatchObject({ status: 200 });
    await replaceGates(tenant.api, []);
    expect(await owner!.patch(MFA, { policy: 'admins' })).toMatchObject({ status: 200, body: { policy: 'admins' } });
  });
});
