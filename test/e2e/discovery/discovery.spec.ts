import { Ajv2020 } from 'ajv/dist/2020.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type {
  AreaDetail,
  AreaList,
  NeededScopes,
  OperationList,
} from '#src/areas/discovery/operations/operation.dto.js';
import type { ToolList } from '#src/areas/discovery/tools/tool.dto.js';
import type { TypeDetail, TypeList } from '#src/areas/discovery/types/type.dto.js';
import type { Client } from '../../harness/client.js';
import { everyPage } from '../../harness/pages.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { operationsOf } from '../../matrix/operations.js';

type ListedType = TypeList['data'][number];
type ListedOperation = OperationList['data'][number];

/** Content of discovery. test/matrix/discovery.spec.ts checks it for each operation and role. */
const platform: TestPlatform = await startPlatform();
const operations = operationsOf(platform.document).filter(({ alias }) => !alias);
afterAll(() => platform.close());

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await platform.tenant();
});

async function read<T>(path: string, api: Client = tenant.api): Promise<T> {
  const { status, body } = await api.get<T>(`/api/discovery${path}`);
  expect(status).toBe(200);
  return body;
}

const all = <T>(path: string, api: Client = tenant.api) => everyPage<T>(api, `/api/discovery${path}`);
const refused = (code: string) => ({ status: 400, body: { errors: [{ code }] } });

describe('areas', () => {
  it('cover all operations, with the number that the caller may call', async () => {
    const all = await read<AreaList>('');
    expect(all.data.reduce((sum, { operations: own }) => sum + own, 0)).toBeGreaterThanOrEqual(operations.length);
    const viewer = await platform.member(tenant, 'Viewer', ['*'], { roles: ['viewer'] });
    const seen = await read<AreaList>('', viewer.api);
    const sales = (list: AreaList) => list.data.find(({ key }) => key === 'sales')!;
    expect(sales(all)).toMatchObject({
      title: 'Sales',
      status: 'enabled',
      types: expect.arrayContaining(['sales.deal']),
    });
    expect(sales(seen).operations).toBe(sales(all).operations);
    expect(sales(seen).allowed).toBeLessThan(sales(all).allowed);
    for (const { links } of all.data)
      for (const link of Object.values<string>({ ...links })) expect((await tenant.api.get(link)).status).toBe(200);
  });

  it('list their groups; an unknown one is not found', async () => {
    const { groups } = await read<AreaDetail>('/areas/sales');
    const deals = groups.find(({ name }) => name === 'sales deals')!;
    expect(deals.operations).toContain('sales.deals.win');
    expect(deals.about).toMatch(/pipeline/);
    expect(await tenant.api.get('/api/discovery/areas/nonsense')).toMatchObject({
      status: 404,
      body: { code: 'not_found' },
    });
  });
});

describe('types', () => {
  it('are those of the registry', async () => {
    const data = await all<ListedType>('/types');
    const registry = platform.app.get(ResourceRegistry);
    const known = [...registry.all(), ...registry.allObjects()].map(({ type }) => type);
    expect(data.map(({ object }) => object)).toEqual([...new Set(known)].sort());
    expect(new Set((await read<TypeList>('/types?area=sales')).data.map(({ area }) => area))).toEqual(
      new Set(['sales']),
    );
    expect(await tenant.api.get('/api/discovery/types?area=sale')).toMatchObject(refused('invalid_value'));
    expect((await tenant.api.get('/api/discovery/types/sales.nonsense')).status).toBe(404);
  });

  it('of every kind have the fields of responses, and existing operations, events and relations', async () => {
    const data = await all<ListedType>('/types');
    const events = await everyPage<{ type: string }>(tenant.api, '/api/v1/developer/event-schema');
    const eventTypes = new Set(events.map(({ type }) => type));
    const ids = new Set(operations.map(({ id }) => id));
    const types = new Set(data.map(({ object }) => object));
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { object } of data) {
      const type = await read<TypeDetail>(`/types/${object}`);
      expect(type.fields.map(({ name }) => name)).toContain('id');
      for (const { schema } of type.fields) expect(JSON.stringify(schema)).not.toContain('"$ref"');
      for (const { schema } of type.fields) ajv.compile(schema);
      for (const each of type.events) expect(eventTypes).toContain(each.type);
      for (const { operation, event } of type.states?.transitions ?? []) {
        expect(eventTypes).toContain(event);
        if (operation !== null) expect(ids).toContain(operation);
      }
      for (const each of type.relations) if (each.object !== null) expect(types).toContain(each.object);
      const list = operations.find(({ method, path }) => method === 'GET' && path === type.path);
      if (type.kind === 'object') continue;
      const parameters = list!.parameters.map(({ name }) => name);
      const filters = type.fields.filter(({ filterable }) => filterable).map(({ name }) => name);
      expect(parameters).toEqual(expect.arrayContaining(filters));
      const sort = list!.parameters.find(({ name }) => name === 'sort')!.schema.items!;
      const sorts = type.fields.filter(({ sortable }) => sortable).map(({ name }) => name);
      if (sort.enum) expect(sort.enum).toEqual(expect.arrayContaining(sorts));
    }
  });

  it('contain what a form for deals needs', async () => {
    const deal = await read<TypeDetail>('/types/sales.deal');
    const field = (name: string) => deal.fields.find((each) => each.name === name);
    expect(field('name')).toMatchObject({ type: 'text', required: true, creatable: true, editable: true });
    expect(field('version')).toMatchObject({ type: 'integer', creatable: false, editable: false });
    expect(field('valueMinor')).toMatchObject({
      type: 'integer',
      filterable: true,
      operators: expect.arrayContaining(['gte']),
    });
    expect(deal.relations).toContainEqual({ field: 'accountId', object: 'sales.account', many: false });
    const account = await read<TypeDetail>('/types/sales.account');
    expect(account.namedBy).toContainEqual({ field: 'accountId', object: 'sales.deal', many: false });
    expect(deal.operations).toContain('sales.deals.win');
    const employee = await read<TypeDetail>('/types/people.employee');
    expect(employee.fields.some((each) => each.class === 'sensitive' && each.permission !== null)).toBe(true);
  });

  it('contain a diagram of the life cycle', async () => {
    const { states } = await read<TypeDetail>('/types/sales.deal');
    const win = states!.transitions.find(({ action }) => action === 'win')!;
    expect(win).toMatchObject({
      from: ['open'],
      to: 'won',
      permission: 'deals:close',
      gate: 'deal.win',
      allowed: true,
    });
    expect(states!.diagram.edges).toContainEqual({ from: 'open', to: 'won', action: 'win' });
    expect(states!.diagram.mermaid).toMatch(/^stateDiagram-v2\n[^]*\[\*\] --> open\n[^]*open --> won: win$/m);
    const viewer = await platform.member(tenant, 'Viewer', ['*'], { roles: ['viewer'] });
    const seen = await read<TypeDetail>('/types/sales.deal', viewer.api);
    expect(seen.states!.transitions.find(({ action }) => action === 'win')).toMatchObject({ allowed: false });
  });

  it('contain only custom fields of the tenant, which change the ETag', async () => {
    const path = '/api/discovery/types/sales.deal';
    const first = await tenant.api.get(path);
    const tag = first.headers.get('etag')!;
    expect((await tenant.api.get(path, { 'if-none-match': tag })).status).toBe(304);
    const field = { recordType: 'sales.deal', key: 'region', label: 'Region', fieldType: 'select', options: ['EMEA'] };
    expect((await tenant.api.post('/api/settings/custom-fields', field)).status).toBe(201);
    const next = await tenant.api.get<TypeDetail>(path, { 'if-none-match': tag });
    expect(next.status).toBe(200);
    expect(next.body.customFields).toMatchObject([
      { key: 'region', label: 'Region', type: 'select', required: false, schema: { enum: ['EMEA'] } },
    ]);
    const other = await platform.tenant();
    expect((await read<TypeDetail>('/types/sales.deal', other.api)).customFields).toEqual([]);
    const money = { recordType: 'sales.deal', key: 'cost', label: 'Cost', fieldType: 'money' };
    expect((await tenant.api.post('/api/settings/custom-fields', money)).status).toBe(201);
    expect(JSON.stringify((await read<TypeDetail>('/types/sales.deal')).customFields)).not.toContain('"$ref"');
  });
});

describe('operations', () => {
  it('are filtered by area, permission and whether the caller may call them', async () => {
    const found = await all<ListedOperation>('/operations?permission=deals:close');
    expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining(['sales.deals.win', 'sales.deals.update']));
    const key = await platform.key(tenant, ['deals:read']);
    const mine = await all<ListedOperation>('/operations?area=sales&allowed=true', key);
    expect(mine.map(({ id }) => id)).toContain('sales.deals.list');
    expect(mine.map(({ id }) => id)).not.toContain('sales.deals.create');
    const [create] = await all<ListedOperation>('/operations?permission=deals:write&area=sales', key);
    expect(create).toMatchObject({
      allowed: false,
      reach: null,
      refusal: { code: 'permission_denied', detail: 'The credential needs the scope deals:write.' },
    });
    const unknown = await tenant.api.get('/api/discovery/operations?area=sale&permission=deals:read');
    expect(unknown).toMatchObject({ ...refused('invalid_value'), body: { errors: [{ parameter: 'area' }] } });
    expect(await tenant.api.get('/api/discovery/operations?permission=deals:fly')).toMatchObject(
      refused('invalid_value'),
    );
  });

  it('change their ETag with the rights of the caller', async () => {
    const member = await platform.member(tenant, 'Member', ['*'], { roles: ['viewer'] });
    const path = '/api/discovery/operations';
    const tag = (await member.api.get(path)).headers.get('etag')!;
    expect((await member.api.get(path, { 'if-none-match': tag })).status).toBe(304);
    const roleIds = [SYSTEM_ROLE_IDS.manager];
    const changed = await tenant.api.patch(`/api/admin/memberships/${member.id}`, { roleIds, reason: 'Test' });
    expect(changed.status).toBe(200);
    expect((await member.api.get(path, { 'if-none-match': tag })).status).toBe(200);
  });

  it('can be paged', async () => {
    const first = await read<OperationList>('/operations?limit=2');
    expect(first).toMatchObject({ data: { length: 2 }, page: { limit: 2, hasMore: true } });
    const second = await read<OperationList>(`/operations?limit=2&cursor=${first.page.nextCursor}`);
    expect(second.data[0]!.id).not.toBe(first.data[0]!.id);
    const other = await tenant.api.get(`/api/discovery/operations?area=work&cursor=${first.page.nextCursor}`);
    expect(other).toMatchObject({ status: 400, body: { code: 'cursor_invalid' } });
  });
});

describe('scopes', () => {
  const wanted = ['sales.deals.create', 'sales.deals.list', 'finance.invoices.issue', 'discovery.types.list'];

  it('are the minimal ones for the given operations', async () => {
    const needed = await read<NeededScopes>(`/scopes?operations=${wanted.join(',')}`);
    expect(needed).toMatchObject({ scopes: ['deals:read', 'deals:write', 'invoices:issue'], missing: [] });
    const key = await platform.key(tenant, needed.scopes);
    const data = await all<ListedOperation>('/operations?allowed=true', key);
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(wanted));
    for (const left of needed.scopes) {
      const lesser = await platform.key(
        tenant,
        needed.scopes.filter((each) => each !== left),
      );
      const ids = (await all<ListedOperation>('/operations?allowed=true', lesser)).map(({ id }) => id);
      expect(wanted.every((id) => ids.includes(id))).toBe(false);
    }
  });

  it('list conditional, protected and missing ones', async () => {
    const key = await platform.key(tenant, ['deals:write']);
    const asked = '/scopes?operations=sales.deals.update,admin.roles.create';
    expect(await read<NeededScopes>(asked, key)).toMatchObject({
      scopes: ['deals:write', 'roles:manage'],
      conditional: expect.arrayContaining([
        expect.objectContaining({ operation: 'sales.deals.update', scope: 'deals:close' }),
      ]),
      protected: ['admin.roles.create'],
      missing: ['roles:manage'],
    });
  });

  it('are refused for unknown operations and those without scopes', async () => {
    const answer = await tenant.api.get('/api/discovery/scopes?operations=sales.deals.creat,scim.users.list');
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ detail: expect.stringContaining('`sales.deals.create`') }, { code: 'invalid_value' }] },
    });
    expect(await tenant.api.get('/api/discovery/scopes')).toMatchObject(refused('required'));
  });
});

describe('tools', () => {
  async function allTools(api: Client, query = ''): Promise<ToolList['data']> {
    const tools: ToolList['data'] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: ToolList = await read<ToolList>(`/tools?limit=200${query}${cursor && `&cursor=${cursor}`}`, api);
      tools.push(...page.data);
      cursor = page.page.nextCursor;
    }
    return tools;
  }

  it('have names accepted by models and self-contained schemas', async () => {
    const tools = await allTools(await platform.key(tenant, ['*', ...everyResource()]));
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    expect(tools.length).toBeGreaterThan(300);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const { name, description, inputSchema } of tools) {
      expect(name).toMatch(/^[a-z0-9_]{1,64}$/);
      expect(description).not.toBe('');
      expect(JSON.stringify(inputSchema)).not.toContain('"$ref":"');
      ajv.compile(inputSchema);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('accept the input of the operation', async () => {
    const tools = await allTools(await platform.key(tenant, ['deals:*']), '&area=sales');
    const update = tools.find(({ operation }) => operation === 'sales.deals.update')!;
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(update.inputSchema);
    const id = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20';
    expect(validate({ path: { id }, body: { name: 'Big' }, idempotencyKey: 'k', ifMatch: '"1"' })).toBe(true);
    expect(validate({ body: { name: 'Big' } })).toBe(false);
    expect(validate({ path: { id }, body: { nonsense: 1 } })).toBe(false);
  });

  it('only write if a scope names the permission, and never return secrets', async () => {
    const writes = async (scopes: string[]) => {
      const tools = await allTools(await platform.key(tenant, scopes));
      return tools.filter(({ readOnly }) => !readOnly).map(({ operation }) => operation);
    };
    expect(await writes(['*'])).toEqual([]);
    expect(await writes(['*:write', '*:read'])).toEqual([]);
    const named = await writes(['deals:write', '*:read']);
    expect(named).toEqual(expect.arrayContaining(['sales.deals.create', 'sales.deals.update']));
    expect(named.filter((id) => !id.startsWith('sales.deals.'))).toEqual([]);
    const hooks = await writes(['webhooks:*']);
    expect(hooks).toContain('webhooks.endpoints.update');
    expect(hooks).not.toContain('webhooks.endpoints.create');
    const viewer = await platform.member(tenant, 'Viewer', ['deals:write', '*:read'], { roles: ['viewer'] });
    expect((await allTools(viewer.api)).filter(({ readOnly }) => !readOnly)).toEqual([]);
  });

  function everyResource(): string[] {
    const scopes = operations.flatMap((operation) => operation.scopes);
    return [...new Set(scopes.map((scope) => `${scope.split(':')[0]!}:*`))];
  }
});

it('nothing is returned without a credential', async () => {
  for (const path of ['', '/types', '/operations', '/tools', '/permissions', '/areas/sales'])
    expect((await platform.anonymous().get(`/api/discovery${path}`)).status).toBe(401);
});

it('permissions list their meaning and the roles that have them', async () => {
  const data = await all<{ permission: string }>('/permissions');
  expect(data.find(({ permission }) => permission === 'deals:write')).toMatchObject({
    meaning: expect.any(String),
    risk: 'low',
    reach: 'tenant',
    operations: expect.arrayContaining(['sales.deals.create']),
    roles: expect.arrayContaining([
      { role: 'owner', reach: 'tenant' },
      { role: 'member', reach: 'own' },
    ]),
  });
});
