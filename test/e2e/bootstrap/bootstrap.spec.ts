import { permissionNames } from '#libs/auth/permissions.js';
import { SYSTEM_ROLES } from '#libs/auth/roles.js';
import { type Door, openDoor } from '../auth/door.js';
import type { Client } from '../../harness/client.js';
import type { TestTenant } from '../../harness/platform.js';

type Json = Record<string, unknown>;

let door: Door;
let tenant: TestTenant;
beforeAll(async () => {
  door = await openDoor();
});
beforeEach(async () => {
  tenant = await door.platform.tenant();
});
afterAll(() => door.close());

const PATH = '/api/bootstrap';

describe('the bootstrap document', () => {
  it('contains the caller, their rights, the tenant, and pending items', async () => {
    const { token, session, membership } = await door.signedIn(tenant);
    const { status, body } = await door.as(token).get<Json>(PATH);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(
      ['session', 'user', 'membership', 'tenant', 'workspaces', 'roles', 'permissions', 'limits', 'settings', 'counts']
        .concat('areas', 'features', 'onboarding', 'server', 'tenants', 'types')
        .sort(),
    );
    expect(body).toMatchObject({
      session: { id: session.id },
      user: { name: membership.name, email: membership.email },
      membership: { id: membership.id, title: null },
      tenant: { id: tenant.id, slug: tenant.slug, name: tenant.slug },
      workspaces: [{ name: 'General', key: 'GENERAL', role: 'member' }],
      roles: [{ key: 'owner', name: 'Owner' }],
      settings: { locale: 'en', timezone: 'UTC', weekStart: 'monday', currency: 'USD' },
      features: { sales: true },
      counts: { notifications: 0, approvals: 0, tasksDue: 0 },
      onboarding: { progressPercent: expect.any(Number), dismissed: false },
      server: { version: '1.0.0' },
    });
    expect(JSON.stringify(body)).not.toContain(token);
  });

  it('contains no personal data for a service key', async () => {
    const { body } = await tenant.api.get<Json>(PATH);
    expect(body).toMatchObject({ session: null, user: null, membership: null, workspaces: [], roles: [] });
    expect(body).toMatchObject({ counts: { notifications: null, tasksDue: null } });
    expect(body['permissions']).toEqual(permissionNames());
  });

  it.each(Object.keys(SYSTEM_ROLES))('lists the permissions of the role %s as enforced', async (role) => {
    const { api } = await door.platform.member(tenant, `A ${role}`, ['*'], { roles: [role] });
    const { body } = await api.get<{ permissions: string[] }>(PATH);
    const held = new Set(body.permissions);
    for (const [permission, path] of [
      ['deals:read', '/api/v1/sales/deals'],
      ['roles:read', '/api/admin/roles'],
      ['webhooks:read', '/api/webhooks/endpoints'],
      ['settings:read', '/api/admin/settings'],
      ['usage:read', '/api/v1/developer/usage'],
    ] as const) {
      const holds = [permission, `${permission}@workspace`, `${permission}@own`].some((each) => held.has(each));
      expect({ path, status: (await api.get(path)).status }).toEqual({ path, status: holds ? 200 : 403 });
    }
  });

  it('lists the permissions left by scopes, and the areas they allow', async () => {
    const { api } = await door.platform.member(tenant, 'Mia', ['deals:*', 'tasks:write', 'roles:read'], {
      roles: ['member'],
    });
    const { body } = await api.get<Json>(PATH);
    expect(body['permissions']).toEqual([
      'deals:close@own',
      'deals:read@workspace',
      'deals:write@own',
      'tasks:write@own',
    ]);
    expect(body['areas']).toEqual(['sales']);
    expect((await tenant.api.get<Json>(PATH)).body['areas']).toEqual(
      expect.arrayContaining(['admin', 'ai', 'finance', 'people', 'sales', 'talent', 'webhooks', 'work']),
    );
  });

  it('has the same counts as the lists', async () => {
    const { id, api } = await door.platform.member(tenant, 'Mia');
    const today = new Date(door.platform.clock.nowMs()).toISOString().slice(0, 10);
    const task = (more: Json) => tenant.api.post<Json>('/api/v1/work/tasks', { name: 'T', assigneeIds: [id], ...more });
    await task({ dueDate: today });
    await task({ dueDate: '2020-01-01' });
    await task({ dueDate: '2099-01-01' });
    await task({});
    const done = await task({ dueDate: today });
    await tenant.api.post(`/api/v1/work/tasks/${String(done.body['id'])}/complete`);
    await tenant.api.patch('/api/admin/settings', { gates: [{ key: 'deal.win', effect: 'require_approval' }] });
    const deal = await tenant.api.post<Json>('/api/v1/sales/deals', { name: 'D', valueMinor: 1, currency: 'USD' });
    const won = await tenant.api.post(`/api/v1/sales/deals/${String(deal.body['id'])}/win`);
    expect(won.status).toBe(202);
    expect((await api.get<Json>(PATH)).body).toMatchObject({ counts: { approvals: 1, tasksDue: 2 } });
    const listed = await api.get<{ data: Json[] }>('/api/home/approvals?mine=to_decide');
    expect(listed.body.data).toHaveLength(1);
    // The requester cannot decide.
    expect((await tenant.api.get<Json>(PATH)).body).toMatchObject({ counts: { approvals: 0 } });
  });

  it('is limited to the requested members', async () => {
    const { body } = await tenant.api.get<Json>(`${PATH}?fields=tenant,limits`);
    expect(Object.keys(body).sort()).toEqual(['limits', 'tenant']);
    for (const fields of ['secrets', '', 'tenant,tenant'])
      expect((await tenant.api.get(`${PATH}?fields=${fields}`)).status).toBe(400);
  });

  it('has an ETag that only changes with its content', async () => {
    const { token } = await door.signedIn(tenant);
    const api = door.as(token);
    const first = await api.get<Json>(PATH);
    const tag = first.headers.get('etag')!;
    door.platform.clock.advance(60_000);
    const again = await api.get(PATH, { 'if-none-match': tag });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
    door.platform.clock.advance(-60_000);
    await tenant.api.patch('/api/admin/settings', { general: { timezone: 'Europe/Berlin' } });
    const changed = await api.get<Json>(PATH, { 'if-none-match': tag });
    expect(changed).toMatchObject({ status: 200, body: { settings: { timezone: 'Europe/Berlin' } } });
    expect(changed.headers.get('etag')).not.toBe(tag);
  });
});

describe('the types of the bootstrap document', () => {
  interface Type {
    customFields: Json[];
    pipelines: { name: string; isDefault: boolean; stages: Json[] }[];
    version: string;
  }
  const typesOf = async (api: Pick<Client, 'get'>) =>
    (await api.get<{ types: Record<string, Type> }>(`${PATH}?fields=types`)).body.types;
  const region = { recordType: 'sales.deal', key: 'region', label: 'Region', fieldType: 'select', options: ['EMEA'] };
  const DEAL = 'sales.deal';
  const rest = ({ [DEAL]: _deal, ...others }: Record<string, Type>) => others;

  it.each(Object.keys(SYSTEM_ROLES))('are those that the role %s may read', async (role) => {
    const { api } = await door.platform.member(tenant, `A ${role}`, ['*'], { roles: [role] });
    const { permissions } = (await api.get<{ permissions: string[] }>(`${PATH}?fields=permissions`)).body;
    const held = new Set(permissions.map((each) => each.split('@')[0]));
    const { data } = (await api.get<{ data: Json[] }>('/api/discovery/types?limit=200')).body;
    const readable = data.filter(({ kind, readPermission }) => kind === 'record' && held.has(readPermission as string));
    const types = await typesOf(api);
    expect(Object.keys(types)).toEqual(readable.map(({ object }) => object));
    for (const { pipelines } of Object.values(rest(types))) expect(pipelines).toEqual([]);
  });

  it('follow scopes and areas, and show pipelines with the right to read them', async () => {
    const narrow = await door.platform.key(tenant, ['deals:read', 'pipelines:read']);
    expect(Object.keys(await typesOf(narrow))).toEqual([DEAL, 'sales.pipeline']);
    const { pipelines } = (await typesOf(narrow))[DEAL]!;
    expect(pipelines).toMatchObject([{ name: 'Sales', isDefault: true, stages: { length: 7 } }]);
    const without = await typesOf(await door.platform.key(tenant, ['deals:read', 'products:read']));
    expect(without).toMatchObject({ [DEAL]: { pipelines: [] }, 'sales.product': { pipelines: [] } });
    await tenant.api.patch('/api/admin/settings', { features: { sales: false } });
    expect(await typesOf(narrow)).toEqual({});
  });

  it('show the custom fields and pipelines as they are now, under a version that changes with them alone', async () => {
    const first = await typesOf(tenant.api);
    const change = async (ask: () => Promise<{ status: number; body: Json }>) => {
      const before = (await typesOf(tenant.api))[DEAL]!.version;
      const { status, body } = await ask();
      expect(status).toBeLessThan(300);
      const now = await typesOf(tenant.api);
      expect(now[DEAL]!.version).not.toBe(before);
      expect(rest(now)).toEqual(rest(first));
      return { deal: now[DEAL]!, id: String(body['id']) };
    };
    const fields = '/api/settings/custom-fields';
    const pipelines = '/api/v1/sales/pipelines';
    const added = await change(() => tenant.api.post<Json>(fields, region));
    expect(added.deal.customFields).toEqual([
      {
        ...{ key: 'region', label: 'Region', type: 'select', required: false, target: null },
        schema: { type: 'string', enum: ['EMEA'] },
      },
    ]);
    const opened = await change(() => tenant.api.post<Json>(pipelines, { name: 'Renewals' }));
    expect(opened.deal.pipelines.map(({ name }) => name)).toEqual(['Sales', 'Renewals']);
    await change(() => tenant.api.post<Json>(`${pipelines}/${opened.id}/archive`));
    await change(() => tenant.api.post<Json>(`${fields}/${added.id}/archive`));
    await tenant.api.post('/api/v1/sales/deals', { name: 'D' });
    expect(await typesOf(tenant.api)).toEqual(first);
  });

  it('are those of now after a change by another process', async () => {
    await tenant.api.post('/api/settings/custom-fields', region);
    await typesOf(tenant.api); // remembers them
    await door.sql(`update data.settings_custom_fields set name = 'Area', version = 2 where tenant_id = $1`, [
      tenant.id,
    ]);
    expect((await typesOf(tenant.api))[DEAL]!.customFields).toMatchObject([{ label: 'Area' }]);
  });
});

it('shows the tenant to all of its members', async () => {
  const { api } = await door.platform.member(tenant, 'Vic', ['*'], { roles: ['viewer'] });
  const { status, body, headers } = await api.get<Json>('/api/settings/tenant');
  expect({ status, body }).toMatchObject({ status: 200, body: { id: tenant.id, slug: tenant.slug, version: 1 } });
  expect(headers.get('etag')).toBe('"1"');
  await tenant.api.patch('/api/admin/settings', { finance: { baseCurrency: 'EUR' } });
  expect((await api.get<Json>('/api/settings/tenant')).body).toMatchObject({ currency: 'EUR', version: 2 });
});
