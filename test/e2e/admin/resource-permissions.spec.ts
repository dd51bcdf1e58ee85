import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { Answer, Client } from '../../harness/client.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

const GRANTS = '/api/admin/resource-permissions';
const DEALS = '/api/v1/sales/deals';

type Json = Record<string, unknown>;
interface Granted {
  data: {
    ok: boolean;
    created: boolean;
    changed: boolean;
    grant: (Json & { id: string }) | null;
    error: Json | null;
  }[];
}
interface Effective {
  levels: string[];
  trace: { permission: string; level: string; rule: string; source: string | null; effect: string }[];
}

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const person = (role: string, scopes = ['*']) => platform.member(tenant, `A ${role}`, scopes, { roles: [role] });
const deal = async (more: object = {}): Promise<string> =>
  String((await tenant.api.post(DEALS, { name: 'Renewal', ...more })).body['id']);
const grant = (api: Client, body: object): Promise<Answer<Granted & { code: string }>> => api.post(GRANTS, body);
const to = (id: string, type = 'membership') => ({ principal: { type, id } });
const explain = async (api: Client, membershipId: string, objectId: string): Promise<Effective> =>
  (
    await api.get<Effective & Json>(
      `${GRANTS}?effective=true&object=sales.deal&membershipId=${membershipId}&objectId=${objectId}`,
    )
  ).body;
const stepOf = ({ trace }: Effective, permission: string) => trace.find((step) => step.permission === permission);

describe('an exception', () => {
  it('allows one record up to its level, and can be changed and revoked', async () => {
    const billing = await person('billing');
    const id = await deal();
    const at = `${DEALS}/${id}`;
    expect((await billing.api.get(at)).status).toBe(403);
    const first = await grant(tenant.api, { object: 'sales.deal', objectId: id, ...to(billing.id), reason: 'Audit' });
    expect(first).toMatchObject({
      status: 200,
      body: { data: [{ ok: true, created: true, grant: { level: 'view', effect: 'allow', reason: 'Audit' } }] },
    });
    expect((await billing.api.get(at)).body).toMatchObject({ id, allowedActions: [] });
    expect((await billing.api.patch(at, { name: 'Mine' })).status).toBe(403);
    const wanted = { object: 'sales.deal', objectId: id, ...to(billing.id), level: 'edit' };
    const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
    const second = await grant(tenant.api, { ...wanted, expiresAt });
    const own = { created: false, grant: { id: first.body.data[0]!.grant!.id } };
    expect(second.body.data[0]).toMatchObject({ ...own, changed: true });
    const again = await grant(tenant.api, { ...wanted, expiresAt });
    expect(again.body.data[0]).toEqual({ ...second.body.data[0], changed: false });
    const events = await asAdmin(
      platform.database,
      `select 1 from data.events where type = 'core.resource_permission.granted' and subject_id = $1`,
      [own.grant.id],
    );
    expect(events).toHaveLength(2);
    expect((await billing.api.patch(at, { name: 'Mine' })).status).toBe(200);
    expect((await billing.api.post(`${at}/win`)).status).toBe(403);
    const query = `object=sales.deal&objectId=${id}&principalType=membership&principalId=${billing.id}`;
    expect((await tenant.api.delete(`${GRANTS}?${query}`)).body).toEqual({ deleted: 1 });
    expect((await tenant.api.delete(`${GRANTS}?${query}`)).body).toEqual({ deleted: 0 });
    expect((await billing.api.get(at)).status).toBe(403);
  });

  it('emits an event and is audited', async () => {
    const billing = await person('billing');
    const { body } = await grant(tenant.api, { object: 'sales.deal', objectId: await deal(), ...to(billing.id) });
    const { id } = body.data[0]!.grant!;
    await tenant.api.delete(`${GRANTS}?id=${id}`);
    const actions = ['core.resource_permission.granted', 'core.resource_permission.revoked'];
    const events = await asAdmin<{ type: string }>(
      platform.database,
      `select type from data.events where tenant_id = $1 and subject_id = $2 order by id`,
      [tenant.id, id],
    );
    expect(events.map(({ type }) => type)).toEqual(actions);
    const log = await tenant.api.get<{ data: Json[] }>(`/api/admin/audit-logs?action=core.resource_permission.*`);
    expect(log.body.data.map(({ action }) => action).sort()).toEqual(actions);
  });

  it('expires to the second without any action', async () => {
    const billing = await person('billing');
    const id = await deal();
    const expiresAt = new Date(Date.now() + DAY_MS).toISOString();
    await grant(tenant.api, { object: 'sales.deal', objectId: id, ...to(billing.id), expiresAt });
    expect((await billing.api.get(`${DEALS}/${id}`)).status).toBe(200);
    // Database time counts: the expiry is moved into the past without firing the change trigger.
    await asAdmin(
      platform.database,
      `do $$ begin set local session_replication_role = replica;
         update data.resource_grants set expires_at = now() - interval '1 second'; end $$`,
    );
    expect((await billing.api.get(`${DEALS}/${id}`)).status).toBe(404);
    expect((await billing.api.get<{ data: Json[] }>(DEALS)).body.data).toEqual([]);
  });

  it('can be for a role, a workspace or a service key, and applies to search, board and timeline', async () => {
    const shown = await deal({ name: 'Shown zebra', value: 100 });
    await deal({ name: 'Hidden zebra', value: 700 });
    const billing = await person('billing');
    await grant(tenant.api, { object: 'sales.deal', objectId: shown, ...to(SYSTEM_ROLE_IDS.billing, 'role') });
    const found = await billing.api.get<{ data: { id: string }[] }>(`${DEALS}?q=zebra`);
    expect(found.body.data.map(({ id }) => id)).toEqual([shown]);
    const board = await billing.api.get<{ data: { count: number; sums: { valueMinor: number }[] }[] }>(
      `${DEALS}/board`,
    );
    expect(board.body.data.flatMap(({ sums }) => sums.map(({ valueMinor }) => valueMinor))).toEqual([10_000]);
    expect(board.body.data.reduce((sum, { count }) => sum + count, 0)).toBe(1);
    expect((await billing.api.get(`${DEALS}/${shown}/activity`)).status).toBe(200);
    expect((await billing.api.post(`${DEALS}/${shown}/comments`, { body: 'Hello' })).status).toBe(403);
    const comment = { object: 'sales.deal', objectId: shown, ...to(billing.id), level: 'comment' };
    await grant(tenant.api, comment);
    expect((await billing.api.post(`${DEALS}/${shown}/comments`, { body: 'Hello' })).status).toBe(201);
    const key = await platform.key(tenant, ['deals:read']);
    const { rows } = { rows: await keysOf(tenant.id) };
    await grant(tenant.api, { object: 'sales.deal', objectId: shown, ...to(rows[0]!, 'api_key'), effect: 'deny' });
    expect((await key.get(`${DEALS}/${shown}`)).status).toBe(404);
  });

  it('is refused for unknown references, each at its place, and for those of another tenant', async () => {
    const other = await platform.tenant();
    const foreign = String((await other.api.post(DEALS, { name: 'Theirs' })).body['id']);
    const stranger = await platform.member(other, 'Stranger');
    const billing = await person('billing');
    const id = await deal();
    const good = { object: 'sales.deal', objectId: id, ...to(billing.id) };
    const refused: [object, string][] = [
      [{ ...good, object: 'sales.unicorn' }, '/grants/0/object'],
      [{ ...good, objectId: foreign }, '/grants/0/objectId'],
      [{ ...good, objectId: uuidv7() }, '/grants/0/objectId'],
      [{ ...good, ...to(stranger.id) }, '/grants/0/principal/id'],
      [{ ...good, ...to(uuidv7(), 'role') }, '/grants/0/principal/id'],
      [{ ...good, ...to(uuidv7(), 'api_key') }, '/grants/0/principal/id'],
      [{ ...good, expiresAt: '2020-01-01T00:00:00.000Z' }, '/grants/0/expiresAt'],
      [{ ...good, objectId: null }, '/grants/0/objectId'],
      [{ ...good, workspaceId: uuidv7() }, '/grants/0/workspaceId'],
      [{ ...good, objectId: null, workspaceId: uuidv7() }, '/grants/0/workspaceId'],
    ];
    for (const [body, pointer] of refused) {
      const answer = await grant(tenant.api, { grants: [body, good] });
      expect(answer.status).toBe(200);
      expect(answer.body.data[0]).toMatchObject({ ok: false, error: { status: 400, errors: [{ pointer }] } });
      expect(answer.body.data[1]).toMatchObject({ ok: true });
    }
    expect((await grant(tenant.api, { ...good, object: 'sales.unicorn' })).status).toBe(400);
  });
});

describe('granting exceptions', () => {
  it('requires the permission, and is limited to one’s own level and to others', async () => {
    const [manager, member] = [await person('manager'), await person('member')];
    const id = await deal();
    const wanted = { object: 'sales.deal', objectId: id, ...to(member.id) };
    expect((await grant(member.api, { ...wanted, ...to(manager.id) })).body.code).toBe('permission_denied');
    expect((await grant(manager.api, { ...wanted, level: 'edit' })).status).toBe(200);
    expect((await grant(manager.api, { ...wanted, ...to(manager.id) })).body.code).toBe('not_by_oneself');
    const narrow = await person('manager', ['deals:read', 'comments:write', 'resource-permissions:manage']);
    expect((await grant(narrow.api, { ...wanted, level: 'comment' })).status).toBe(200);
    expect((await grant(narrow.api, { ...wanted, level: 'edit' })).body.code).toBe('grant_exceeds_rights');
    expect((await grant((await person('auditor')).api, wanted)).body.code).toBe('permission_denied');
  });

  it('does not allow callers to lift or weaken denials against themselves', async () => {
    const [admin, other] = [await person('admin'), await person('admin')];
    const id = await deal();
    const lifted = { status: 403, body: { code: 'not_by_oneself' } };
    for (const [principal, who] of [
      [to(admin.id), admin],
      [to(SYSTEM_ROLE_IDS.admin, 'role'), other],
    ] as const) {
      const denial = { object: 'sales.deal', objectId: id, ...principal, effect: 'deny', level: 'view' };
      const denied = (await grant(tenant.api, denial)).body.data[0]!.grant!;
      expect((await who.api.get(`${DEALS}/${id}`)).status).toBe(404);
      expect(await who.api.delete(`${GRANTS}?id=${denied.id}`)).toMatchObject(lifted);
      expect((await who.api.get(`${DEALS}/${id}`)).status).toBe(404);
      expect(await tenant.api.delete(`${GRANTS}?id=${denied.id}`)).toMatchObject({ body: { deleted: 1 } });
    }
    const workspaceId = (await tenant.api.get<{ data: { id: string }[] }>('/api/admin/workspaces')).body.data[0]!.id;
    const wide = { object: 'sales.deal', workspaceId, ...to(admin.id), effect: 'deny' };
    await grant(tenant.api, { ...wide, level: 'view' });
    expect((await admin.api.get(`${DEALS}/${id}`)).status).toBe(404);
    expect(await grant(admin.api, { ...wide, level: 'manage' })).toMatchObject(lifted);
    expect((await admin.api.get(`${DEALS}/${id}`)).status).toBe(404);
    expect(await grant(other.api, { ...wide, level: 'manage' })).toMatchObject({ status: 200 });
    expect((await admin.api.get(`${DEALS}/${id}`)).status).toBe(200);
    // Owners hold everything and are exempt.
    const owner = await person('owner');
    const all = { object: 'sales.deal', objectId: id, ...to(SYSTEM_ROLE_IDS.owner, 'role'), effect: 'deny' };
    const { id: forAll } = (await grant(tenant.api, all)).body.data[0]!.grant!;
    expect((await owner.api.get(`${DEALS}/${id}`)).status).toBe(404);
    expect(await owner.api.delete(`${GRANTS}?id=${forAll}`)).toMatchObject({ body: { deleted: 1 } });
  });

  it('is allowed with the level manage, for that record only', async () => {
    const [viewer, billing] = [await person('viewer'), await person('billing')];
    const [mine, other] = [await deal(), await deal()];
    await grant(tenant.api, { object: 'sales.deal', objectId: mine, ...to(viewer.id), level: 'manage' });
    const wanted = { object: 'sales.deal', ...to(billing.id), level: 'edit' };
    expect((await grant(viewer.api, { ...wanted, objectId: mine })).status).toBe(200);
    expect((await grant(viewer.api, { ...wanted, objectId: other })).body.code).toBe('permission_denied');
    const { body } = await tenant.api.get<{ data: { id: string }[] }>(`${GRANTS}?principalId=${viewer.id}`);
    expect((await viewer.api.delete(`${GRANTS}?id=${body.data[0]!.id}`)).status).toBe(200);
    expect((await grant(viewer.api, { ...wanted, objectId: mine })).body.code).toBe('permission_denied');
  });
});

describe('a denial for a workspace or a role', () => {
  /** Members of the default workspace, which contains all records without a workspace. */
  async function inside(...roles: string[]) {
    const { data } = (await tenant.api.get<{ data: { id: string }[] }>('/api/admin/workspaces')).body;
    const workspaceId = data[0]!.id;
    const member = await platform.member(tenant, `A ${roles.join(' and ')}`, ['*'], { roles });
    await tenant.api.post(`/api/admin/workspaces/${workspaceId}/members`, { membershipId: member.id });
    return { ...member, workspaceId };
  }
  const sees = async (api: Client, id: string) => {
    const { body } = await api.get<{ data: { id: string }[] }>(`${DEALS}?limit=200`);
    const isListed = body.data.some((each) => each.id === id);
    expect((await api.get(`${DEALS}/${id}`)).status).toBe(isListed ? 200 : 404);
    return isListed;
  };

  it.each([
    ['manager', ['manager', 'member', 'viewer'], ['owner', 'admin', 'developer']],
    ['admin', ['manager', 'admin', 'developer'], ['owner']],
    ['owner', ['manager', 'admin', 'owner'], []],
  ])('issued by one %s applies to %j and not to %j', async (by, reached, above) => {
    const { api, workspaceId } = await inside(by);
    const [single, wide] = [await deal(), await deal()];
    const people = new Map<string, Awaited<ReturnType<typeof inside>>>();
    for (const role of [...reached, ...above]) people.set(role, await inside(role));
    const denial = { ...to(workspaceId, 'workspace'), effect: 'deny', level: 'view' };
    expect((await grant(api, { ...denial, object: 'sales.deal', objectId: single })).body.data[0]!.ok).toBe(true);
    for (const [role, person] of people) {
      const isAbove = above.includes(role);
      expect([role, await sees(person.api, single)]).toEqual([role, isAbove]);
      expect([role, await sees(person.api, wide)]).toEqual([role, true]);
      const step = stepOf(await explain(tenant.api, person.id, single), 'deals:read');
      expect([role, step]).toEqual([role, expect.objectContaining({ rule: isAbove ? 'role' : 'deny_grant' })]);
    }
    const all = { ...denial, object: 'sales.deal', workspaceId };
    expect((await grant(api, all)).body.data[0]!.ok).toBe(true);
    for (const [role, person] of people)
      expect([role, await sees(person.api, wide)]).toEqual([role, above.includes(role)]);
  });

  it('does not apply to members above through a lower role that they also have', async () => {
    const manager = await inside('manager');
    const [plain, both] = [await inside('member'), await inside('admin', 'member')];
    const id = await deal();
    const wanted = { object: 'sales.deal', objectId: id, effect: 'deny', level: 'view' };
    await grant(manager.api, { ...wanted, ...to(SYSTEM_ROLE_IDS.member, 'role') });
    expect([await sees(plain.api, id), await sees(both.api, id)]).toEqual([false, true]);
    // They may lift denials that do not apply to them; denials by name apply.
    const { body } = await tenant.api.get<{ data: { id: string }[] }>(`${GRANTS}?object=sales.deal&objectId=${id}`);
    await grant(tenant.api, { ...wanted, ...to(both.id) });
    expect(await sees(both.api, id)).toBe(false);
    expect((await explain(tenant.api, both.id, id)).levels).toEqual([]);
    await tenant.api.delete(
      `${GRANTS}?object=sales.deal&objectId=${id}&principalType=membership&principalId=${both.id}`,
    );
    expect(await both.api.delete(`${GRANTS}?id=${body.data[0]!.id}`)).toMatchObject({ status: 200 });
    expect(await sees(plain.api, id)).toBe(true);
  });
});

describe('the explanation', () => {
  it('names the deciding rule and agrees with the guards', async () => {
    const member = await person('member');
    const [mine, theirs, denied] = [await deal({ ownerId: member.id }), await deal(), await deal()];
    const { body } = await grant(tenant.api, {
      object: 'sales.deal',
      objectId: denied,
      ...to(member.id),
      effect: 'deny',
    });
    const own = await explain(tenant.api, member.id, mine);
    expect(stepOf(own, 'deals:write')).toMatchObject({ rule: 'role', source: 'member@own', effect: 'allow' });
    expect(own.levels).toEqual(['view', 'comment', 'edit']);
    const others = await explain(tenant.api, member.id, theirs);
    expect(stepOf(others, 'deals:write')).toMatchObject({ rule: 'default', source: null, effect: 'deny' });
    expect(others.levels).toEqual(['view', 'comment']);
    const none = await explain(tenant.api, member.id, denied);
    const { id } = body.data[0]!.grant!;
    expect(stepOf(none, 'deals:read')).toMatchObject({ rule: 'deny_grant', source: id, effect: 'deny' });
    expect(none.levels).toEqual([]);
    for (const [record, effective] of [
      [mine, own],
      [theirs, others],
      [denied, none],
    ] as const) {
      const at = `${DEALS}/${record}`;
      const statuses = { view: (await member.api.get(at)).status, edit: (await member.api.patch(at, {})).status };
      expect(statuses.view === 200).toBe(effective.levels.includes('view'));
      expect(statuses.edit === 200).toBe(effective.levels.includes('edit'));
    }
  });

  it('is refused for records out of reach and unknown ones', async () => {
    const member = await person('member');
    const id = await deal();
    const query = (more: object) =>
      new URLSearchParams({ effective: 'true', object: 'sales.deal', membershipId: member.id, objectId: id, ...more });
    expect((await member.api.get(`${GRANTS}?${query({}).toString()}`)).status).toBe(403);
    for (const wrong of [{ object: 'sales.unicorn' }, { objectId: uuidv7() }, { membershipId: uuidv7() }])
      expect((await tenant.api.get(`${GRANTS}?${query(wrong).toString()}`)).status).toBe(400);
    expect((await tenant.api.get(`${GRANTS}?effective=true`)).status).toBe(400);
  });
});

/** Ids of the service keys of a tenant, newest first. */
async function keysOf(tenantId: string): Promise<string[]> {
  const rows = await asAdmin<{ id: string }>(
    platform.database,
    `select id from directory.credentials where tenant_id = $1 and member_id is null order by created_at desc`,
    [tenantId],
  );
  return rows.map(({ id }) => id);
}
