import { permissionNames } from '#libs/auth/permissions.js';
import { documentedOperations, wholeSchema } from '#libs/http/openapi/references.js';
import { RouteTable } from '#libs/http/route-table.js';
import { startPlatform, type TestPlatform } from '../harness/platform.js';
import { KEYLESS_POSTS, SAFE_POSTS } from '../matrix/operations.js';

/** What the OpenAPI document states for every operation, and that it covers all routes of the server. */
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
/** For people without a credential. */
const FOR_STRANGERS = new Set([
  'auth.callback',
  'auth.login',
  'auth.oauth.authorize',
  'auth.oauth.introspect',
  'auth.oauth.jwks',
  'auth.oauth.metadata.below_auth',
  'auth.oauth.metadata.below_oauth',
  'auth.oauth.metadata.get',
  'auth.oauth.revoke',
  'auth.oauth.token',
  'bootstrap.slug.get',
  'bootstrap.tenants.create',
  'bootstrap.tenants.get',
  'bootstrap.tenants.reactivate',
  'bootstrap.tenants.suspend',
  'auth.session.create',
  'invitations.get',
  'invitations.accept',
  'invitations.decline',
  'documents.uploads.take',
  'public.files.get',
  'public.careers.jobs.apply',
  'public.careers.jobs.get',
  'public.careers.list',
  'public.invoices.get',
  'public.unsubscribe.get',
  'public.unsubscribe.end',
  'public.keys.list',
  'public.milestones.accept',
  'public.milestones.get',
  'public.plans.list',
  'public.proposals.accept',
  'public.proposals.decline',
  'public.proposals.get',
  'public.status.get',
  'public.tenants.get',
]);
const open = stated.filter(({ path, name }) => path.startsWith('/health/') || FOR_STRANGERS.has(name));
const guarded = stated.filter((each) => !open.includes(each));

/** Operations that send something: events to endpoints, mails to invitees, documents and proposals to customers, offers to candidates. */
const SENDS =
  /^((webhooks|admin\.(outbox|invitations))\.|finance\.(invoices|credit_notes)\.send$|talent\.offers\.send$|proposals\.proposals\.(re)?send$)/;

/** Served in addition to the operations. */
const PAGES = /^\/($|favicon\.ico$|openapi\.json$|(docs|console)(\/|$)|metrics$)/;

describe('the document', () => {
  it('promises nothing outside the platform, such as sending documents or paying money', () => {
    const outside = /\b(send|mail|notify|remind|invite|refund|pay out)\b/i;
    const promised = stated.filter(({ operation, alias }) => outside.test(operation.summary!) && !alias);
    expect(promised.length).toBeGreaterThan(3);
    expect(promised.map(({ name }) => name).filter((name) => !SENDS.test(name))).toEqual([]);
    const { invoices, offers } = Object.fromEntries(
      stated
        .filter(({ path }) => /^\/api\/v1\/\w+\/(invoices|offers)\/\{id\}\/send$/.test(path))
        .map(({ path, operation }) => [path.split('/')[4], operation.summary]),
    );
    expect([invoices, offers]).toEqual(['Send an invoice to its customer', 'Send an offer to its candidate']);
  });

  it('contains every route of the server and no others', () => {
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

/** Aggregates over everything visible to the caller, whose only page holds everything. */
const FIGURES = new Set([
  'finance.trial_balance.get',
  'people.employees.org_chart',
  'people.time_off.balances',
  'process_intelligence.processes.bottlenecks',
  'process_intelligence.processes.rework',
  'process_intelligence.processes.variants',
  'process_intelligence.time_in_state.get',
  'sales.deals.board',
  'settings.api_keys.usage',
  'talent.interviews.clashes',
]);

/** Media types besides JSON that a parameter chooses. */
const DOWNLOADS: Record<string, string[]> = {
  'admin.audit_logs.export': ['application/x-ndjson', 'text/csv'],
  'admin.compliance_evidence.export': ['application/zip'],
  'reports.reports.run': ['text/csv'],
  'reports.runs.get': ['text/csv'],
  'admin.compliance_evidence.get': ['application/zip'],
};

/** Media types of files that are sent instead of the 202. */
const FILES: Record<string, string[]> = {
  'finance.credit_notes.e_invoice': ['application/xml'],
  'finance.invoices.e_invoice': ['application/xml'],
  'finance.invoices.e_invoice.alias': ['application/xml'],
  'exports.jobs.start': [
    'text/csv',
    'application/x-ndjson',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ],
};

describe('lists', () => {
  interface Listed {
    $ref?: string;
    properties?: Record<string, { type?: string; $ref?: string; allOf?: object[] }>;
  }
  const shownBy = ({ operation }: Entry) =>
    Object.entries(operation.responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content }]) => content?.['application/json']?.schema ?? [])
      .map((schema) => wholeSchema<Listed>(platform.document, schema).properties ?? {});
  const answering = guarded.filter((entry) => shownBy(entry).some(({ data }) => data?.type === 'array'));

  it.each(answering)('$name says what page the answer is', (entry) => {
    for (const { page } of shownBy(entry))
      expect(JSON.stringify(wholeSchema(platform.document, page ?? {}))).toMatch(/PageInfo"/);
  });

  it.each(answering.filter(({ method }) => method === 'GET'))('$name is paged', ({ operation }) => {
    const parameters = operation.parameters.map((each) => each.name);
    const isPaged = !FIGURES.has(operation.operationId);
    expect([parameters.includes('limit'), parameters.includes('cursor')]).toEqual([isPaged, isPaged]);
  });

  it('describe filters by custom fields', () => {
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
  it.each(stated)('is accepted by $name if it is a write', ({ method, operation }) => {
    const keyed = ['POST', 'PUT', 'PATCH'].includes(method) && !KEYLESS_POSTS.has(operation.operationId);
    expect(operation['x-idempotent'] ?? false).toBe(keyed);
    const headers = operation.parameters.filter((each) => each.in === 'header');
    expect(headers.some(({ name }) => name === 'Idempotency-Key')).toBe(keyed);
    const success = Object.entries(operation.responses).find(([status]) => /^2|^303$/.test(status))![1];
    expect('Idempotent-Replayed' in (success.headers ?? {})).toBe(keyed);
  });
});

describe.each(open)('$name', ({ operation }) => {
  it('declares that it needs no credential, or which ones its handler checks', () => {
    const { operationId: id } = operation;
    const people = id === 'bootstrap.tenants.create' ? [{ bearerAuth: [] }, { cookieAuth: [] }] : [];
    const operators = id.startsWith('bootstrap.tenants.') ? [{ operatorKey: [] }] : [];
    expect(operation.security).toEqual([...operators, ...people]);
    expect(operation['x-required-scopes']).toBeUndefined();
  });
});

describe.each(guarded)('$name', ({ path, method, operation }) => {
  const write = method !== 'GET' && !SAFE_POSTS.has(operation.operationId);
  const scim = path.startsWith('/api/scim/');

  it('declares its requirements for callers', () => {
    expect(operation.summary).toMatch(/^[A-Z].{3,}/);
    expect(operation.tags).toHaveLength(1);
    expect(operation.security?.length).toBeGreaterThan(0);
    for (const scope of operation['x-required-scopes']!) expect(permissionNames()).toContain(scope);
    expect(operation['x-rate-limit-class']).toBe(scim ? 'scim' : write ? 'write' : 'read');
  });

  it('declares its responses, all with a schema', () => {
    const statuses = Object.keys(operation.responses);
    // A gated action can also return 202 with the pending approval; an asynchronous one returns only 202.
    const isPage = operation.operationId === 'auth.oauth.consent'; // redirects the browser
    const done = statuses.filter(
      (status) => (status.startsWith('2') && status !== '202') || (isPage && status === '303'),
    );
    // Or no body on success, or a range of a file.
    const others = ['204', '206', ...(takesSeveral(operation) ? ['200'] : [])];
    const answered = done.length > 1 ? done.filter((status) => !others.includes(status)) : done;
    const success = answered.length > 0 ? answered : statuses.filter((status) => status === '202');
    expect(success).toHaveLength(1);
    if (path.startsWith('/api/admin/')) expect(success).toEqual(['200']);
    else if (operation.operationId.endsWith('.create')) expect(success).toEqual(['201']);
    expect(statuses).toEqual(expect.arrayContaining(['400', '401', '403', '429', '500']));
    if (path.includes('{')) expect(statuses).toContain('404');
    const empty = ['204', '303', '304', ...(SAFE_POSTS.has(operation.operationId) ? ['202'] : [])];
    for (const status of statuses.filter((each) => !empty.includes(each))) {
      const content = Object.entries(operation.responses[status]!.content ?? {});
      if (FILES[operation.operationId] && status === '200') {
        expect(content.map(([type]) => type)).toEqual(FILES[operation.operationId]);
        continue;
      }
      const downloads = status.startsWith('2') ? (DOWNLOADS[operation.operationId] ?? []) : [];
      expect(content.slice(1).map(([type]) => type)).toEqual(downloads);
      const [type, { schema }] = content[0]!;
      if (type === '*/*') continue; // a file
      const form = scim ? 'application/scim+json' : 'application/problem+json';
      expect(type).toBe(status.startsWith('2') && !scim ? 'application/json' : form);
      expect(schema.$ref ?? schema.anyOf ?? schema.allOf).toBeDefined();
    }
  });
});

/** Whether a body can also be several records, whose results are answered with 200. */
function takesSeveral({ requestBody }: Stated): boolean {
  const { content } = (requestBody ?? { content: {} }) as { content: Record<string, { schema: { anyOf?: object[] } }> };
  return content['application/json']?.schema.anyOf?.length === 2;
}
