import { runAsSystem } from '#libs/tenancy/scope.js';
import { Secrets } from '#src/areas/vault/secrets/secret-values.service.js';
import { asAdmin } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';

let platform: TestPlatform;
let tenant: TestTenant;
beforeAll(async () => {
  platform = await startPlatform();
});
afterAll(() => platform.close());
beforeEach(async () => {
  tenant = await platform.tenant();
});

const PATH = '/api/admin/secrets';
const VALUE = 'the-value-that-nobody-sees';

interface Secret extends Record<string, unknown> {
  id: string;
  version: number;
  fingerprint: string;
}

const store = (more: object = {}) => tenant.api.post<Secret>(PATH, { name: 'AI/KEY', value: VALUE, ...more });
const list = async (query = '') => (await tenant.api.get<{ data: Secret[] }>(PATH + query)).body.data;
const inDays = (days: number) => new Date(platform.clock.nowMs() + days * 86_400_000).toISOString();

/** Uses a secret like a provider connection. */
function use(name: string): Promise<string[]> {
  const facts = { id: tenant.id, slug: tenant.slug, plan: 'enterprise', currency: 'EUR', epoch: '1' };
  return runAsSystem(facts, 'test', 'req_test', () => platform.app.get(Secrets, { strict: false }).use(name));
}

it('stores a secret and never shows its value', async () => {
  const { status, body, text } = await store({ kind: 'api_key', description: 'For AI', expiresAt: inDays(30) });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    object: 'core.secret',
    name: 'AI/KEY',
    kind: 'api_key',
    description: 'For AI',
    version: 1,
    rotatedAt: null,
    previousUsableUntil: null,
    lastUsedAt: null,
    usedBy: [],
  });
  expect(body.fingerprint).toMatch(/^[0-9a-f]{8}$/);
  expect(text).not.toContain(VALUE);
  expect((await tenant.api.get(PATH)).text).not.toContain(VALUE);
  for (const table of [
    'data.secrets',
    'data.secret_versions',
    'data.audit_log',
    'data.events',
    'data.idempotency_keys',
  ])
    expect(await asAdmin(platform.database, `select 1 from ${table} t where t::text like $1`, [`%${VALUE}%`])).toEqual(
      [],
    );
  expect(await use('AI/KEY')).toEqual([VALUE]);
});

it('shows fingerprints that identify values without revealing them, different in each tenant', async () => {
  const { body: first } = await store();
  expect((await store({ name: 'COPY' })).body.fingerprint).toBe(first.fingerprint);
  expect((await store({ name: 'OTHER', value: 'x' })).body.fingerprint).not.toBe(first.fingerprint);
  const other = await platform.tenant();
  const copy = await other.api.post<Secret>(PATH, { name: 'AI/KEY', value: VALUE });
  expect(copy.body.fingerprint).not.toBe(first.fingerprint);
  expect((await other.api.delete(`${PATH}/${first.id}`)).status).toBe(404);
});

it('replaces a value immediately or with a grace period for the previous one', async () => {
  await store();
  const { body } = await store({ value: 'second' });
  expect(body).toMatchObject({ version: 2, previousUsableUntil: null });
  expect(await use('AI/KEY')).toEqual(['second']);
  const kept = 'select version from data.secret_versions where tenant_id = $1';
  expect(await asAdmin(platform.database, kept, [tenant.id])).toEqual([{ version: 2 }]);
  const third = await store({ value: 'third', graceMinutes: 30 });
  expect(third.body).toMatchObject({ version: 3, previousUsableUntil: expect.any(String) as string });
  expect(await use('AI/KEY')).toEqual(['third', 'second']);
  platform.clock.advance(31 * 60_000);
  expect(await use('AI/KEY')).toEqual(['third']);
});

it('does not use expired values and records each use', async () => {
  await store({ expiresAt: inDays(1) });
  const before = platform.clock.now().toISOString();
  await use('AI/KEY');
  const [used] = await list();
  expect(String(used!['lastUsedAt']) >= before).toBe(true);
  platform.clock.advance(86_400_000);
  expect(await use('AI/KEY')).toEqual([]);
  expect(await use('NO/SUCH')).toEqual([]);
});

it('destroys all values when a secret is deleted', async () => {
  const { body } = await store();
  await store({ value: 'second', graceMinutes: 60 });
  expect((await tenant.api.delete(`${PATH}/${body.id}`)).body).toEqual({ id: body.id, deleted: true });
  expect(
    await asAdmin(platform.database, 'select 1 from data.secret_versions where tenant_id = $1', [tenant.id]),
  ).toEqual([]);
  expect(await list()).toEqual([]);
  expect((await tenant.api.delete(`${PATH}/${body.id}`)).status).toBe(404);
});

it('finds secrets by kind, words, expiry and use', async () => {
  await store({ name: 'ONE', kind: 'api_key', description: 'For the CRM', expiresAt: inDays(5) });
  await store({ name: 'TWO', kind: 'oauth' });
  const names = async (query: string) => (await list(query)).map(({ name }) => name);
  expect(await names('?kind=oauth')).toEqual(['TWO']);
  expect(await names('?q=crm')).toEqual(['ONE']);
  expect(await names('?expiringInDays=6')).toEqual(['ONE']);
  expect(await names('?expiringInDays=4')).toEqual([]);
  platform.clock.advance(3 * 86_400_000);
  await use('TWO');
  expect(await names('?unusedForDays=2')).toEqual(['ONE']);
});

it('reports failures without showing the value', async () => {
  const wrong = await store({ name: 'lower case', value: '', expiresAt: inDays(-1) });
  expect(wrong.status).toBe(400);
  expect((await store({ expiresAt: inDays(-1) })).body).toMatchObject({
    errors: [{ pointer: '/expiresAt', code: 'out_of_range' }],
  });
  const long = await store({ value: 'ö'.repeat(40_000) });
  expect(long.body).toMatchObject({ errors: [{ pointer: '/value', code: 'too_long' }] });
  expect(long.text).not.toContain('öö');
});

it('requires a credential for protected operations and the scope', async () => {
  const key = await platform.key(tenant, ['*']);
  expect((await key.post(PATH, { name: 'A', value: 'b' })).body).toMatchObject({ code: 'step_up_required' });
  const reader = await platform.key(tenant, ['secrets:read']);
  expect((await reader.post(PATH, { name: 'A', value: 'b' })).body).toMatchObject({ code: 'permission_denied' });
  expect((await reader.get(PATH)).status).toBe(200);
});

it('audits every step and each read of the list', async () => {
  const { body } = await store();
  await store({ value: 'second' });
  await list();
  await tenant.api.delete(`${PATH}/${body.id}`);
  const { body: log } = await tenant.api.get<{ data: { action: string; riskLevel: string }[] }>(
    '/api/admin/audit-logs?limit=50',
  );
  const actions = log.data.map(({ action }) => action).filter((action) => action.startsWith('core.secret'));
  expect(actions.sort()).toEqual([
    'core.secret.created',
    'core.secret.deleted',
    'core.secret.listed',
    'core.secret.rotated',
  ]);
});
