import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { askFor, DEALS, type Key, KEYS, makeKey, withKey } from './key-calls.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const sql = (text: string, ...values: unknown[]) => asAdmin(platform.database, text, [tenant.id, ...values]);
const person = (role: string, scopes = ['*']) => platform.member(tenant, `A ${role}`, scopes, { roles: [role] });
const inDays = (days: number) => new Date(platform.clock.nowMs() + days * DAY_MS).toISOString();
const personal = (api: Client, more: object = {}) => askFor(api, { kind: 'personal', ...more });
const statusOf = async (key: Key) => (await withKey(platform, key).get(DEALS)).status;
const idsSeenBy = async (api: Client) => (await api.get<{ data: Key[] }>(KEYS)).body.data.map(({ id }) => id);
const beyond = (...missingPermissions: string[]) => ({
  status: 403,
  body: { code: 'grant_exceeds_rights', missingPermissions },
});

/** A session of a member with a second factor, as bearer. */
async function protectedOwner(): Promise<Client> {
  const { id } = await platform.member(tenant, 'An owner');
  const api = await platform.key(tenant, ['*'], { memberId: id });
  await sql(`update directory.credentials set allow_protected = true where tenant_id = $1 and member_id = $2`, id);
  return api;
}

async function workspace(): Promise<string> {
  const id = uuidv7();
  await sql(`insert into data.workspaces (tenant_id, id, name, created_at) values ($1, $2, 'Place', now())`, id);
  return id;
}

describe('personal keys', () => {
  it.each(['owner', 'admin', 'manager', 'member', 'developer'])('are made by who is %s', async (role) => {
    const { id, api } = await person(role);
    const { status, body } = await personal(api);
    expect([status, body]).toMatchObject([201, { kind: 'personal', memberId: id, status: 'active' }]);
    expect(await statusOf(body)).toBe(200);
  });

  it.each(['viewer', 'auditor', 'billing'])('are not made by who is %s', async (role) => {
    const { api } = await person(role);
    expect(await personal(api)).toMatchObject({ status: 403, body: { requiredPermission: 'api-keys:manage' } });
  });

  it('may do no more than their maker, and nobody else sees them but who manages all', async () => {
    const [member, other, admin] = [await person('member'), await person('manager'), await person('admin')];
    expect(await personal(member.api, { scopes: ['deals:read', 'deals:delete'] })).toMatchObject(
      beyond('deals:delete'),
    );
    expect((await personal(member.api, { scopes: ['*'] })).status).toBe(403);
    const { body: key } = await personal(member.api, { scopes: ['deals:read', 'deals:write'] });
    const path = `${KEYS}/${key.id}`;
    expect(await idsSeenBy(member.api)).toEqual([key.id]);
    expect(await idsSeenBy(other.api)).toEqual([]);
    expect(await idsSeenBy(admin.api)).toContain(key.id);
    expect((await other.api.post(`${path}/revoke`)).status).toBe(404);
    expect((await admin.api.patch(path, { scopes: ['deals:read'] })).status).toBe(200);
    expect(await member.api.patch(path, { scopes: ['roles:manage'] })).toMatchObject(beyond('roles:manage'));
    // Whoever gets the secret of somebody else's key acts as them.
    expect((await admin.api.post(`${path}/rotate`)).status).toBe(403);
    expect((await admin.api.post(`${path}/revoke`)).status).toBe(200);
    expect(await statusOf(key)).toBe(401);
  });

  it('may do what both scopes and owner may do now, and are suspended with the owner', async () => {
    const { id, api } = await person('manager');
    const { body: key } = await personal(api, { scopes: ['deals:read', 'deals:write'] });
    const own = withKey(platform, key);
    expect((await own.post(DEALS, { name: 'Acme' })).status).toBe(201);
    const suspend = (status: string) =>
      sql(
        `update data.memberships set status = $3, version = version + 1 where tenant_id = $1 and id = $2`,
        id,
        status,
      );
    await suspend('suspended');
    expect(await statusOf(key)).toBe(401);
    expect((await tenant.api.get(`${KEYS}/${key.id}`)).body).toMatchObject({ status: 'suspended' });
    await suspend('active');
    expect(await statusOf(key)).toBe(200);
    await sql(`delete from data.role_assignments where tenant_id = $1 and membership_id = $2`, id);
    expect(await statusOf(key)).toBe(403);
  });

  it('are for people: a service key makes none', async () => {
    expect(await personal(tenant.api)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });
});

describe('service keys', () => {
  it.each(['owner', 'admin', 'developer'])('are made within their rights by who is %s', async (role) => {
    const { api } = await person(role);
    const key = await makeKey(api, { scopes: ['webhooks:read'] });
    expect((await withKey(platform, key).get('/api/webhooks/endpoints')).status).toBe(200);
    expect(await idsSeenBy(api)).toContain(key.id);
  });

  it.each(['manager', 'member'])('are not made by who is %s', async (role) => {
    const { api } = await person(role);
    expect(await askFor(api)).toMatchObject({ status: 403, body: { requiredPermission: 'api-keys:manage' } });
  });

  it('go no further than their maker, who does not see those that do', async () => {
    const { api } = await person('developer');
    expect(await askFor(api, { scopes: ['deals:write'] })).toMatchObject(beyond('deals:write'));
    const mighty = await makeKey(tenant.api, { scopes: ['deals:*'] });
    expect(await idsSeenBy(api)).toEqual([]);
    expect((await api.post(`${KEYS}/${mighty.id}/rotate`)).status).toBe(404);
  });

  it('go no further than the scopes of the key that asks', async () => {
    const key = await platform.key(tenant, ['api-keys:manage', 'deals:read']);
    const made = await makeKey(key);
    expect(await statusOf(made)).toBe(200);
    expect(await askFor(key, { scopes: ['deals:write'] })).toMatchObject(beyond('deals:write'));
    expect(await askFor(await platform.key(tenant, ['deals:read']))).toMatchObject({ status: 403 });
  });

  it('are not shown again to somebody who could no longer make them', async () => {
    const { id, api } = await person('developer');
    const ask = () => askFor(api, { scopes: ['webhooks:read'] }, { 'idempotency-key': 'once' });
    const first = await ask();
    expect((await ask()).body).toEqual(first.body);
    await sql(
      `update data.role_assignments set role_id = '${SYSTEM_ROLE_IDS.member}'
       where tenant_id = $1 and membership_id = $2`,
      id,
    );
    const refused = await ask();
    expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect(refused.text).not.toContain(first.body.apiKey);
  });

  it('expire, unless somebody who manages all says otherwise', async () => {
    const { api } = await person('developer');
    const { id } = await makeKey(api, { expiresAt: inDays(365) });
    for (const expiresAt of [null, inDays(367)]) {
      const refused = { status: 403, body: { requiredPermission: 'api-keys:manage-all' } };
      expect(await askFor(api, { expiresAt })).toMatchObject(refused);
      expect(await api.patch(`${KEYS}/${id}`, { expiresAt })).toMatchObject(refused);
    }
    expect((await askFor(tenant.api, { expiresAt: inDays(3_000) })).status).toBe(201);
    expect((await (await person('admin')).api.patch(`${KEYS}/${id}`, { expiresAt: null })).status).toBe(200);
  });
});

describe('keys for protected operations', () => {
  const secret = (key: Key) => withKey(platform, key).post('/api/admin/secrets', { name: 'A', value: 'b' });
  const terms = { scopes: ['secrets:manage'], allowProtected: true };

  it('are made by owners, as a protected operation, for 90 days at most', async () => {
    const { body: key, status } = await askFor(tenant.api, terms);
    expect(status).toBe(201);
    expect(Date.parse(key.expiresAt!)).toBeLessThanOrEqual(platform.clock.nowMs() + 90 * DAY_MS);
    expect((await secret(key)).status).toBe(200);
    expect((await secret(await makeKey(tenant.api, { ...terms, allowProtected: false }))).body).toMatchObject({
      code: 'step_up_required',
    });
    for (const expiresAt of [inDays(91), null])
      expect(await askFor(tenant.api, { ...terms, expiresAt })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/expiresAt', code: 'out_of_range' }] },
      });
    const owner = await person('owner');
    expect(await askFor(owner.api, terms)).toMatchObject({ status: 403, body: { code: 'step_up_required' } });
    const developer = await person('developer');
    expect(await askFor(developer.api, terms)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });

  it('name their permissions if they are personal', async () => {
    const api = await protectedOwner();
    expect(await personal(api, { ...terms, scopes: ['secrets:*'] })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/scopes', code: 'wildcard_not_allowed' }] },
    });
    const { body } = await personal(api, terms);
    expect((await secret(body)).status).toBe(200);
  });

  it('are changed and rotated as they are made', async () => {
    const { id } = await makeKey(tenant.api, terms);
    const plain = await makeKey(tenant.api, { scopes: ['secrets:manage'] });
    const owner = await person('owner');
    const refused = { status: 403, body: { code: 'step_up_required' } };
    expect(await owner.api.post(`${KEYS}/${id}/rotate`)).toMatchObject(refused);
    expect(await owner.api.patch(`${KEYS}/${id}`, { expiresAt: inDays(80) })).toMatchObject(refused);
    expect(await owner.api.patch(`${KEYS}/${plain.id}`, { allowProtected: true, expiresAt: inDays(9) })).toMatchObject(
      refused,
    );
    platform.clock.advance(80 * DAY_MS);
    await tenant.api.patch(`${KEYS}/${id}`, { expiresAt: inDays(89) });
    const { body } = await tenant.api.post<Key>(`${KEYS}/${id}/rotate`);
    expect(Date.parse(body.expiresAt!)).toBeLessThanOrEqual(platform.clock.nowMs() + 90 * DAY_MS);
    expect((await owner.api.patch(`${KEYS}/${id}`, { allowProtected: false })).body).toMatchObject({
      allowProtected: false,
    });
    expect((await secret(body)).status).toBe(403);
  });
});

describe('a key that is confined to workspaces', () => {
  let [here, there] = ['', ''];
  let deals: Record<'here' | 'there' | 'nowhere', string>;
  beforeEach(async () => {
    [here, there] = [await workspace(), await workspace()];
    const deal = async (more: object) => String((await tenant.api.post(DEALS, { name: 'Deal', ...more })).body['id']);
    deals = {
      here: await deal({ workspaceId: here }),
      there: await deal({ workspaceId: there }),
      nowhere: await deal({}),
    };
  });
  const seenBy = async (key: Key) => {
    const { body } = await withKey(platform, key).get(DEALS);
    return (body['data'] as { id: string }[]).map(({ id }) => id);
  };

  it.each(['service', 'personal'])('reaches the records there and nothing else: %s', async (kind) => {
    const api = kind === 'service' ? tenant.api : (await person('owner')).api;
    const key = await makeKey(api, { kind, scopes: ['*'], workspaceIds: [here] });
    const own = withKey(platform, key);
    expect(await seenBy(key)).toEqual([deals.here]);
    expect((await own.get(`${DEALS}/${deals.there}`)).status).toBe(404);
    expect((await own.patch(`${DEALS}/${deals.there}`, { nextStep: 'x' })).status).toBe(404);
    expect((await own.patch(`${DEALS}/${deals.here}`, { nextStep: 'x' })).status).toBe(200);
    expect((await own.patch(`${DEALS}/${deals.here}`, { workspaceId: there })).status).toBe(403);
    expect((await own.post(DEALS, { name: 'New', workspaceId: here })).status).toBe(201);
    for (const workspaceId of [there, null])
      expect((await own.post(DEALS, { name: 'New', workspaceId })).status).toBe(403);
    for (const path of ['/api/webhooks/endpoints', '/api/admin/roles', '/api/v1/developer/usage'])
      expect((await own.get(path)).status).toBe(403);
    const { body } = await own.get('/api/admin/workspaces');
    expect((body['data'] as { id: string }[]).map(({ id }) => id)).toEqual([here]);
  });

  it('also not by what its owner may do elsewhere', async () => {
    const { id, api } = await platform.member(tenant, 'A member', ['*'], {
      roles: ['member'],
      workspaces: { [here]: 'member', [there]: 'member' },
    });
    const mine = await tenant.api.post(DEALS, { name: 'Mine', workspaceId: there, ownerId: id });
    const { body: key } = await personal(api, { workspaceIds: [here] });
    expect(await seenBy(key)).toEqual([deals.here]);
    expect((await withKey(platform, key).get(`${DEALS}/${String(mine.body['id'])}`)).status).toBe(404);
  });

  it('is widened and narrowed by the next request', async () => {
    const key = await makeKey(tenant.api, { workspaceIds: [here] });
    const change = (workspaceIds: string[]) => tenant.api.patch(`${KEYS}/${key.id}`, { workspaceIds });
    await change([here, there]);
    expect((await seenBy(key)).sort()).toEqual([deals.here, deals.there].sort());
    await change([]);
    expect(await seenBy(key)).toHaveLength(3);
    await change([there]);
    expect(await seenBy(key)).toEqual([deals.there]);
  });

  it('makes keys for the same workspaces alone', async () => {
    const confined = await makeKey(tenant.api, { scopes: ['api-keys:manage', 'deals:read'], workspaceIds: [here] });
    const ask = (workspaceIds: string[]) =>
      withKey(platform, confined).post(KEYS, { name: 'A', kind: 'service', scopes: ['deals:read'], workspaceIds });
    expect((await ask([here])).status).toBe(201);
    for (const workspaceIds of [[there], [here, there], []])
      expect(await ask(workspaceIds)).toMatchObject({ status: 403, body: { code: 'grant_exceeds_rights' } });
  });
});

describe('addresses and expiry', () => {
  const bound = { ipAllowList: ['127.0.0.0/8'], expiresAt: '' };
  beforeEach(() => {
    bound.expiresAt = inDays(1);
  });
  const change = (api: Pick<Client, 'patch'>, { id }: Key, body: object) => api.patch<Key>(`${KEYS}/${id}`, body);

  it.each([
    ['no addresses', { ipAllowList: [] }],
    ['other addresses', { ipAllowList: ['127.0.0.0/8', '10.0.0.0/8'] }],
    ['a wider network', { ipAllowList: ['126.0.0.0/7'] }],
    ['a network of the other family', { ipAllowList: ['::/0'] }],
    ['a later expiry', () => ({ expiresAt: inDays(2) })],
  ])('are widened to %s by callers alone who may do what the key may', async (_, wider) => {
    const body = typeof wider === 'function' ? wider() : wider;
    const key = await makeKey(tenant.api, { scopes: ['deals:read', 'accounts:read'], ...bound });
    const { id } = await platform.member(tenant, 'An admin', [], { roles: ['admin'] });
    const api = await platform.key(tenant, ['api-keys:manage', 'api-keys:manage-all', 'deals:read'], { memberId: id });
    expect(await change(api, key, body)).toMatchObject(beyond('accounts:read'));
    expect(await change(api, key, { name: 'Renamed' })).toMatchObject({ status: 200, body: bound });
    expect((await change(tenant.api, key, body)).status).toBe(200);
  });

  it('are narrowed by everybody who manages the key', async () => {
    const key = await makeKey(tenant.api, { scopes: ['deals:read', 'accounts:read'], ...bound });
    const { id } = await platform.member(tenant, 'An admin', [], { roles: ['admin'] });
    const api = await platform.key(tenant, ['api-keys:manage', 'api-keys:manage-all', 'deals:read'], { memberId: id });
    const narrower = { ipAllowList: ['127.0.0.1/32', '127.1.0.0/16'], expiresAt: inDays(0.5) };
    expect(await change(api, key, narrower)).toMatchObject({ status: 200, body: narrower });
  });

  it('also bind the keys that a bound key makes, changes and rotates', async () => {
    const scopes = ['api-keys:manage', 'deals:read'];
    const key = await makeKey(tenant.api, { scopes, ipAllowList: bound.ipAllowList });
    const free = await makeKey(tenant.api, {});
    const own = withKey(platform, key);
    const exceeding = { status: 403, body: { code: 'grant_exceeds_rights' } };
    for (const ipAllowList of [[], ['0.0.0.0/0']]) {
      expect(await change(own as Client, key, { ipAllowList })).toMatchObject(exceeding);
      expect(await own.post(KEYS, { name: 'A', kind: 'service', scopes: ['deals:read'], ipAllowList })).toMatchObject(
        exceeding,
      );
    }
    expect(await own.post(`${KEYS}/${free.id}/rotate`, {})).toMatchObject({ status: 403 });
    expect((await own.post(`${KEYS}/${key.id}/rotate`, {})).status).toBe(200);
    const within = { name: 'A', kind: 'service', scopes: ['deals:read'], ipAllowList: ['127.0.0.1'] };
    expect((await own.post(KEYS, within)).status).toBe(201);
  });
});

it('refuses a key that was taken back on the next request, in every process', async () => {
  const second = await startPlatform({ shared: platform.database });
  try {
    for (const take of [
      ({ id }: Key) => tenant.api.post(`${KEYS}/${id}/revoke`),
      ({ id }: Key) => tenant.api.delete(`${KEYS}/${id}`),
      ({ id }: Key) => tenant.api.post(`${KEYS}/${id}/rotate`, { overlapHours: 0 }),
      ({ id }: Key) => tenant.api.patch(`${KEYS}/${id}`, { scopes: ['accounts:read'] }),
    ]) {
      const key = await makeKey(tenant.api);
      const statuses = () =>
        Promise.all([platform, second].map(async (each) => (await withKey(each, key).get(DEALS)).status));
      expect(await statuses()).toEqual([200, 200]);
      await take(key);
      for (const status of await statuses()) expect([401, 403]).toContain(status);
    }
  } finally {
    await second.close();
  }
});
