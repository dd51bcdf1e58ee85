import { PERMISSION_NAMES } from '#libs/auth/permissions.js';
import { documentedOperations, wholeSchema } from '#libs/http/openapi/references.js';
import { RouteTable } from '#libs/http/route-table.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { SAFE_POSTS } from '../matrix/operations.js';

/** What every operation states in the document, and that the document is all that the server has. */
const platform: TestPlatform = await startPlatform();
afterAll(() => platform.close());

interface Stated {
  operationId: string;
  summary?: string;
  tags?: string[];
  security?: object[];
  parameters: { name: string; in: string }[];
  requestBody?: object;
  responses: Record<
    string,
    { headers?: object; content?: Record<string, { schema: { $ref?: string; anyOf?: object[]; allOf?: object[] } }> }
  >;
  'x-required-scopes'?: string[];
  'x-rate-limit-class'?: string;
  'x-idempotent'?: boolean;
}

interface Entry {
  path: string;
  method: string;
  alias: boolean;
  operation: Stated;
  name: string;
}

const stated = documentedOperations(platform.document).map(({ path, method, aliasOf, operation }): Entry => ({
  path,
  method: method.toUpperCase(),
  alias: aliasOf !== null,
  operation,
  name: aliasOf === null ? operation.operationId : `${operation.operationId}.alias`,
}));
/** For people who have no credential yet. */
const FOR_STRANGERS = new Set([
  'auth.callback',
  'auth.login',
  'bootstrap.slug.get',
  'bootstrap.tenants.create',
  'bootstrap.tenants.get',
  'bootstrap.tenants.reactivate',
  'bootstrap.tenants.suspend',
  'auth.session.create',
  'invitations.get',
  'invitations.accept',
  'invitations.decline',
  'public.invoices.get',
]);
const open = stated.filter(({ path, name }) => path.startsWith('/health/') || FOR_STRANGERS.has(name));
const guarded = stated.filter((each) => !open.includes(each));

/** Operations that have something sent: events to endpoints, mails to invited people. */
const SENDS = /^(webhooks|admin\.(outbox|invitations))\./;

/** Served beside the operations. */
const PAGES = /^\/($|openapi\.json$|docs(\/|$)|metrics$)/;

describe('the document', () => {
  it('promises nothing that the platform leaves to others: documents and money go out by other ways', () => {
    const outside = /\b(send|mail|notify|remind|invite|refund|pay out)\b/i;
    const promised = stated.filter(({ operation, alias }) => outside.test(operation.summary!) && !alias);
    expect(promised.length).toBeGreaterThan(3);
    expect(promised.map(({ name }) => name).filter((name) => !SENDS.test(name))).toEqual([]);
    const { invoices, offers } = Object.fromEntries(
      stated
        .filter(({ path }) => /^\/api\/v1\/\w+\/(invoices|offers)\/\{id\}\/send$/.test(path))
        .map(({ path, operation }) => [path.split('/')[4], operation.summary]),
    );
    expect([invoices, offers]).toEqual(['Mark an invoice as sent', 'Mark an offer as sent']);
  });

  it('holds every route of the server and no other', () => {
    const served = platform.app
      .get(RouteTable)
      .all()
      .filter(({ method, url }) => method !== 'HEAD' && !PAGES.test(url))
      .map(({ method, url }) => `${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
    const documented = stated.filter(({ alias }) => !alias).map(({ method, path }) => `${method} ${path}`);
    expect(documented.sort()).toEqual(served.sort());
  });

  it('is served for HEAD wherever it is served for GET', () => {
    const routes = platform.app.get(RouteTable).all();
    const of = (wanted: string) => routes.filter(({ method }) => method === wanted).map(({ url }) => url);
    expect(new Set(of('HEAD'))).toEqual(new Set(of('GET')));
  });

  it('names each operation once', () => {
    const names = stated.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z_]*(\.[a-z_]+)+$/);
  });
});

/** Figures over everything that the caller may see, which have no pages. */
const FIGURES = new Set([
  'finance.trial_balance.get',
  'people.employees.org_chart',
  'people.time_off.balances',
  'process_intelligence.time_in_state.get',
  'sales.deals.board',
  'settings.api_keys.usage',
  'talent.interviews.clashes',
]);

describe('lists', () => {
  interface Listed {
    $ref?: string;
    properties?: Record<string, { type?: string; $ref?: string; allOf?: object[] }>;
  }
  const lists = guarded.filter(({ method, path, operation }) => {
    const schema = operation.responses['200']?.content?.['application/json']?.schema;
    return (
      method === 'GET' &&
      !path.startsWith('/api/scim/') &&
      schema &&
      wholeSchema<Listed>(platform.document, schema).properties?.['data']
    );
  });

  it.each(lists)('$name has pages', ({ operation }) => {
    const id = operation.operationId;
    const { schema: declared } = operation.responses['200']!.content!['application/json']!;
    const schema = wholeSchema<Listed>(platform.document, declared);
    const parameters = operation.parameters.map((each) => each.name);
    const pages = [
      schema.properties!['page'] !== undefined,
      parameters.includes('limit'),
      parameters.includes('cursor'),
    ];
    expect(pages).toEqual(FIGURES.has(id) ? [false, false, false] : [true, true, true]);
    const page = JSON.stringify(wholeSchema(platform.document, schema.properties!['page'] ?? {}));
    if (!FIGURES.has(id)) expect(page).toMatch(/PageInfo"/);
  });

  it('say how they are filtered by fields of the tenant’s own', () => {
    const { operation } = stated.find(({ name }) => name === 'sales.deals.list')!;
    expect(operation.parameters).toContainEqual(
      expect.objectContaining({
        name: 'customFields',
        in: 'query',
        style: 'form',
        explode: true,
        schema: expect.objectContaining({
          type: 'object',
          propertyNames: { pattern: '^customFields\\.[a-zA-Z]\\w{0,39}$' },
        }) as object,
      }),
    );
  });
});

describe('an idempotency key', () => {
  it.each(stated)('is taken by $name if it is a write', ({ method, operation }) => {
    const keyed = ['POST', 'PUT', 'PATCH'].includes(method) && !SAFE_POSTS.has(operation.operationId);
    expect(operation['x-idempotent'] ?? false).toBe(keyed);
    const headers = operation.parameters.filter((each) => each.in === 'header');
    expect(headers.some(({ name }) => name === 'Idempotency-Key')).toBe(keyed);
    const success = Object.entries(operation.responses).find(([status]) => /^2|^303$/.test(status))![1];
    expect('Idempotent-Replayed' in (success.headers ?? {})).toBe(keyed);
  });
});

describe.each(open)('$name', ({ operation }) => {
  it('says that it takes no credential, or that of an operator', () => {
    const isOperated = operation.operationId.startsWith('bootstrap.tenants.');
    expect(operation.security).toEqual(isOperated ? [{ operatorKey: [] }] : []);
    expect(operation['x-required-scopes']).toBeUndefined();
  });
});

describe.each(guarded)('$name', ({ path, method, operation }) => {
  const write = method !== 'GET' && !SAFE_POSTS.has(operation.operationId);
  const scim = path.startsWith('/api/scim/');

  it('states what it takes to call it', () => {
    expect(operation.summary).toMatch(/^[A-Z].{3,}/);
    expect(operation.tags).toHaveLength(1);
    expect(operation.security?.length).toBeGreaterThan(0);
    for (const scope of operation['x-required-scopes']!) expect(PERMISSION_NAMES).toContain(scope);
    expect(operation['x-rate-limit-class']).toBe(scim ? 'scim' : write ? 'write' : 'read');
  });

  it('states its answers, all with a schema', () => {
    const statuses = Object.keys(operation.responses);
    // An action that a gate can stand in front of also answers 202, with what it waits for; what is only begun has no other.
    const done = statuses.filter((status) => status.startsWith('2') && status !== '202');
    const answered = done.length > 1 ? done.filter((status) => status !== '204') : done; // or nothing, if all went well
    const success = answered.length > 0 ? answered : statuses.filter((status) => status === '202');
    expect(success).toHaveLength(1);
    if (path.startsWith('/api/admin/')) expect(success).toEqual(['200']);
    else if (operation.operationId.endsWith('.create')) expect(success).toEqual(['201']);
    expect(statuses).toEqual(expect.arrayContaining(['400', '401', '403', '429', '500']));
    if (path.includes('{')) expect(statuses).toContain('404');
    const empty = ['204', '304', ...(SAFE_POSTS.has(operation.operationId) ? ['202'] : [])];
    for (const status of statuses.filter((each) => !empty.includes(each))) {
      const content = Object.entries(operation.responses[status]!.content ?? {});
      expect(content).toHaveLength(1);
      const [type, { schema }] = content[0]!;
      const form = scim ? 'application/scim+json' : 'application/problem+json';
      expect(type).toBe(status.startsWith('2') && !scim ? 'application/json' : form);
      expect(schema.$ref ?? schema.anyOf ?? schema.allOf).toBeDefined();
    }
  });
});
