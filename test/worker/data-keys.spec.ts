import { InstallationKeys } from '#libs/sealing/installation-keys.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Secrets } from '#src/areas/vault/secrets/secret-values.service.js';
import { SEALED_COLUMNS } from '#src/areas/sealed-columns.js';
import { DataKeyUpkeep } from '#src/worker/data-key-upkeep.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { EMPLOYEES, makeEmployee } from '../e2e/people/people-calls.js';
import { operatorOf } from '../cli/operator.js';
import type { TestTenant } from '../harness/platform.js';
import { Stage } from './stage.js';

/** Rotation of the data keys of tenants. */
let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const rotate = (tenant: TestTenant) =>
  operatorOf(stage.platform.database.settings).json('data-key', 'rotate', '--tenant', tenant.slug);

const sweep = async () => (await stage.idleWorker()).get(DataKeyUpkeep).sweep();

/** Versions of the data keys that the values of a tenant use, by column. */
async function used(tenant: TestTenant): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const { table, column } of SEALED_COLUMNS) {
    const rows = await stage.sql<{ version: string }>(
      `select distinct split_part(${column}, '.', 1) as version from ${table}
       where tenant_id = $1 and ${column} ~ '^v[0-9]+[.]' order by 1`,
      [tenant.id],
    );
    if (rows.length > 0) found[`${table}.${column}`] = rows.map(({ version }) => version);
  }
  return found;
}

const versions = (tenant: TestTenant) =>
  stage.sql<{ version: number; unused: boolean }>(
    `select version, unused_since is not null as unused from data.data_keys where tenant_id = $1 order by version`,
    [tenant.id],
  );

const passTenMinutes = (tenant: TestTenant) =>
  stage.sql(`update data.data_keys set unused_since = unused_since - interval '11 minutes' where tenant_id = $1`, [
    tenant.id,
  ]);

/** A value in most kinds of columns. */
async function fill(tenant: TestTenant): Promise<{ employeeId: string }> {
  const receiver = await stage.receiver();
  const endpoint = await stage.endpoint(tenant, receiver.url);
  await tenant.api.post(`${endpoint.path}/rotate-secret`, {}, { 'idempotency-key': uuidv7() });
  await tenant.api.post('/api/admin/secrets', { name: 'KEY', value: 'one' });
  const { id: employeeId } = await makeEmployee(tenant.api, { nationalId: 'X9-4711-88ZQ' });
  return { employeeId };
}

const secretOf = async (tenant: TestTenant) => {
  const secrets = stage.platform.app.get(Secrets, { strict: false });
  const [facts] = await stage.sql<{ id: string; slug: string; plan: 'free'; currency: string; epoch: string }>(
    `select id, slug, plan, currency, epoch::text as epoch from directory.tenants where id = $1`,
    [tenant.id],
  );
  return runAsSystem(facts!, 'test', uuidv7(), () => secrets.use('KEY'));
};

test('seals all values again with the new key, and removes the old key once nothing uses it', async () => {
  const tenant = await stage.platform.tenant();
  const { employeeId } = await fill(tenant);
  const before = await used(tenant);
  expect(Object.keys(before).length).toBeGreaterThanOrEqual(5);
  expect(Object.values(before)).toEqual(Object.keys(before).map(() => ['v1']));

  expect(await rotate(tenant)).toEqual({ tenants: 1 });
  expect(await secretOf(tenant)).toEqual(['one']);
  await sweep();
  expect(Object.entries(await used(tenant))).toEqual(Object.keys(before).map((column) => [column, ['v2']]));
  expect(await secretOf(tenant)).toEqual(['one']);
  const revealed = await tenant.api.post<{ nationalId: string }>(`${EMPLOYEES}/${employeeId}/reveal`, {
    fields: ['nationalId'],
    reason: 'Payroll',
  });
  expect(revealed.body.nationalId).toBe('X9-4711-88ZQ');

  // This process still caches the old key for some minutes.
  await tenant.api.post('/api/admin/secrets', { name: 'LATE', value: 'two' });
  await sweep();
  expect((await used(tenant))['data.secret_versions.sealed']).toEqual(['v2']);
  expect(await versions(tenant)).toEqual([
    { version: 1, unused: false },
    { version: 2, unused: false },
  ]);
  await sweep();
  expect(await versions(tenant)).toEqual([
    { version: 1, unused: true },
    { version: 2, unused: false },
  ]);
  await passTenMinutes(tenant);
  await sweep();
  expect(await versions(tenant)).toEqual([{ version: 2, unused: false }]);
  expect(await secretOf(tenant)).toEqual(['one']);
});

test('keeps a key whose values appear again within the ten minutes', async () => {
  const tenant = await stage.platform.tenant();
  await tenant.api.post('/api/admin/secrets', { name: 'KEY', value: 'one' });
  await rotate(tenant);
  for (let round = 0; round < 2; round++) await sweep();
  await tenant.api.post('/api/admin/secrets', { name: 'LATE', value: 'two' });
  await passTenMinutes(tenant);
  await sweep();
  expect(await versions(tenant)).toEqual([
    { version: 1, unused: false },
    { version: 2, unused: false },
  ]);
  expect(await secretOf(tenant)).toEqual(['one']);
});

test('has a random key for fingerprints that the API role can read', async () => {
  const key = await stage.platform.app.get(InstallationKeys).read('fingerprints of secrets');
  expect(key).toHaveLength(32);
});

test('a rotation is in the audit log of the tenant', async () => {
  const tenant = await stage.platform.tenant();
  const other = await stage.platform.tenant();
  const rotations = async ({ api }: TestTenant) => {
    const { body } = await api.get<{ data: object[] }>('/api/admin/audit-logs?action=core.data_key.rotated');
    return body.data;
  };
  await rotate(tenant);
  expect(await rotations(tenant)).toMatchObject([
    {
      actor: { type: 'system', name: 'operator CLI' },
      target: { type: 'core.tenant', id: tenant.id },
      changes: { version: { from: 1, to: 2 } },
    },
  ]);
  expect(await rotations(other)).toEqual([]);
  const { tenants } = await operatorOf(stage.platform.database.settings).json<{ tenants: number }>(
    ...['data-key', 'rotate'],
  );
  expect(tenants).toBeGreaterThanOrEqual(2);
  expect(await Promise.all([tenant, other].map(rotations))).toMatchObject([
    [{ changes: { version: { from: 2, to: 3 } } }, { changes: { version: { from: 1, to: 2 } } }],
    [{ changes: { version: { from: 1, to: 2 } } }],
  ]);
});
