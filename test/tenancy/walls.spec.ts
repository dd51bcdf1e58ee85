import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../harness/database.js';
import { breachesAsTenant, breachesWithoutTenant, type Target } from './breaches.js';
import { SYSTEM_TABLES } from './lint-rule.js';
import { makeNeighbours, type Neighbours } from './targets.js';

/** Whether one tenant can reach another's rows, on every tenant table, with the real login roles. */
let database: TestDatabase;
let admin: pg.Client;
let app: pg.Client;
let system: pg.Client;
let neighbours: Neighbours;

const connect = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
};

beforeAll(async () => {
  database = await createTestDatabase();
  admin = await connect(database.adminUrl);
  app = await connect(database.appUrl);
  system = await connect(database.systemUrl);
  neighbours = await makeNeighbours(admin);
});
afterAll(async () => {
  await Promise.all([app, system, admin].map((client) => client.end()));
  await database.drop();
});

async function everyBreach(
  client: pg.Client,
  targets: Target[],
  attack: (target: Target) => Promise<string[]>,
): Promise<string[]> {
  const findings: string[] = [];
  for (const target of targets) {
    await client.query('begin');
    const found = await attack(target);
    await client.query('rollback');
    findings.push(...found.map((finding) => `data.${target.table.name}: ${finding}`));
  }
  return findings;
}

const asTenant = (client: pg.Client) => (target: Target) => breachesAsTenant(client, neighbours.tenantId, target);
const asNobody = (client: pg.Client) => (target: Target) => breachesWithoutTenant(client, target);
const tenantTables = () => neighbours.targets.filter(({ table }) => !SYSTEM_TABLES.includes(table.name));

describe('row-level security', () => {
  it('protects every tenant table', async () => {
    const { rows } = await admin.query<{ n: number }>(
      `select count(*)::int as n from pg_class where relkind in ('r', 'p') and not relispartition
        and relnamespace = 'data'::regnamespace`,
    );
    expect(neighbours.targets).toHaveLength(rows[0]!.n);
    expect(neighbours.targets.map(({ table }) => table.name)).toEqual(expect.arrayContaining(SYSTEM_TABLES));
  });

  it('refuses a connection without a tenant', async () => {
    for (const [url, targets] of [
      [database.appUrl, neighbours.targets],
      [database.systemUrl, tenantTables()],
    ] as const) {
      const fresh = await connect(url);
      expect(await everyBreach(fresh, targets, asNobody(fresh))).toEqual([]);
      await fresh.end();
    }
  });

  it('keeps the API within its tenant', async () => {
    expect(await everyBreach(app, neighbours.targets, asTenant(app))).toEqual([]);
  });

  it('keeps the worker within its current tenant, except in the system tables', async () => {
    expect(await everyBreach(system, tenantTables(), asTenant(system))).toEqual([]);
  });

  it('refuses a connection whose tenant was reset at the end of its transaction', async () => {
    expect(await everyBreach(app, neighbours.targets, asNobody(app))).toEqual([]);
    expect(await everyBreach(system, tenantTables(), asNobody(system))).toEqual([]);
  });

  it('is also enforced in the search functions, whose owner sees all rows', async () => {
    const { rows: functions } = await admin.query<{ name: string }>(
      `select oid::regproc::text as name from pg_proc where pronamespace = 'data'::regnamespace and proname ~ '^search_'`,
    );
    expect(functions.length).toBeGreaterThan(0);
    for (const { name } of functions) {
      const { own } = neighbours.targets.find(({ table }) => name === `data.search_${table.name}`)!;
      for (const client of [app, system]) {
        await client.query('begin');
        await client.query(`select set_config('app.tenant_id', $1, true)`, [neighbours.tenantId]);
        const { rows } = await client.query(`select ${name}('x:*') as id`);
        await client.query('rollback');
        expect(rows).toEqual([{ id: own['id'] }]);
        await expect(client.query(`select ${name}('x:*')`)).rejects.toThrow(/app\.tenant_id|invalid input syntax/);
      }
    }
  });
});

describe('the directory', () => {
  it('is closed to the API, except for its functions', async () => {
    const { rows: tables } = await admin.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'directory'::regnamespace
         and relname <> 'migrations'`,
    );
    expect(tables.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['directory.tenants', 'directory.credentials']),
    );
    for (const { name } of tables)
      for (const text of [`select 1 from ${name}`, `delete from ${name}`, `truncate ${name}`, `copy ${name} to stdout`])
        await expect(app.query(text)).rejects.toThrow(`permission denied for table ${name.split('.')[1]}`);
    await expect(app.query('delete from directory.migrations')).rejects.toThrow('permission denied');
    await expect(app.query('create table directory.x ()')).rejects.toThrow('permission denied');
  });
});
