import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Database } from '#libs/database/database.js';
import { type Statement, statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { Transaction } from '#libs/database/transaction.js';
import { currentScope, runAsSystem, runInScope, Scope, type TenantFacts } from '#libs/tenancy/scope.js';
import { type DirectDatabase, directDatabase } from './direct-database.js';

/** Concurrent short reads share a flight but nothing else. */
let direct: DirectDatabase;
let admin: pg.Client;
let source: DataSource;
let database: Database;

beforeAll(async () => {
  direct = await directDatabase('app', 2);
  ({ admin, source, database } = direct);
});
afterAll(() => direct.close());

const tenants = Array.from({ length: 6 }, (_, i): TenantFacts => {
  return { id: uuidv7(), slug: `gathered-${i}`, plan: 'free', currency: 'USD', epoch: '1' };
});
const short = (text: string, values: unknown[] = []): Statement => ({ ...statement(text, values), isShort: true });
/** Tenant and identity of a flight, and the visible rows of the tenant. */
const SEEN = `select current_setting('app.tenant_id') as tenant, xact_start::text || pid as flight,
    current_setting('transaction_read_only') as frozen,
    (select coalesce(string_agg(series, ','), '') from data.number_series) as series
  from pg_stat_activity where pid = pg_backend_pid()`;
const read = (tenant: TenantFacts, query = short(SEEN)) =>
  runAsSystem(tenant, 'test', 'req_gathered', () => database.read<Record<string, string>>(query));

it('share a flight, each with its own tenant', async () => {
  for (const { id, slug } of tenants)
    await admin.query('insert into data.number_series (tenant_id, series, next) values ($1, $2, 1)', [id, slug]);
  const asked = [...tenants, ...tenants.toReversed()];
  const answers = (await Promise.all(asked.map((tenant) => read(tenant)))).map(([row]) => row!);
  expect(answers.map(({ tenant }) => tenant)).toEqual(asked.map(({ id }) => id));
  expect(answers.map(({ series }) => series)).toEqual(asked.map(({ slug }) => slug));
  expect(new Set(answers.map(({ frozen }) => frozen))).toEqual(new Set(['on']));
  expect(new Set(answers.map(({ flight }) => flight)).size).toBe(2); // twelve, eight at most in each
  await expect(database.system([statement(SEEN)])).rejects.toThrow(/app\.tenant_id|invalid input syntax for type uuid/);
});

it('share a flight only with those of their tenant when they are lists', async () => {
  const [one, other] = [tenants[2]!, tenants[3]!];
  const list: Statement = { ...statement(SEEN), generic: true };
  const [first, foreign, second, row] = (
    await Promise.all([read(one, list), read(other, list), read(one, list), read(one)])
  ).map(([seen]) => seen!);
  expect([first, foreign, second, row].map((seen) => seen!['tenant'])).toEqual([one.id, other.id, one.id, one.id]);
  expect(second!['flight']).toBe(first!['flight']);
  expect(new Set([first, foreign, row].map((seen) => seen!['flight'])).size).toBe(3);
});

it('do not see each other’s rows even when one of them queries for them', async () => {
  const [one, other] = [tenants[0]!, tenants[1]!];
  const foreign = short('select series from data.number_series where tenant_id = $1', [other.id]);
  const [stolen, own] = await Promise.all([read(one, foreign), read(other)]);
  expect(stolen).toEqual([]);
  expect(own).toMatchObject([{ series: other.slug }]);
});

it.each([
  ['fails', short('select 1 / $1::int as seen', [0]), '22012'],
  ['would write', short(`update data.number_series set next = 1 where series = $1`, ['gathered-0']), '25006'],
  ['cannot be sent', short('select $1::text', [{ toPostgres: () => JSON.parse('{') as string }]), undefined],
])('succeed for the others when one of them %s', async (_what, bad, code) => {
  const answers = await Promise.allSettled([read(tenants[0]!), read(tenants[1]!, bad), read(tenants[2]!)]);
  expect(answers).toMatchObject([
    { status: 'fulfilled', value: [{ tenant: tenants[0]!.id }] },
    { status: 'rejected', reason: code === undefined ? expect.any(SyntaxError) : { code } },
    { status: 'fulfilled', value: [{ tenant: tenants[2]!.id }] },
  ]);
});

it('refresh only cached data of the tenant that has changed', async () => {
  const refreshed: string[] = [];
  const scopeOf = (slug: string, epoch: string, id: string): Scope => {
    const scope = new Scope('req_gathered');
    scope.tenant = { ...tenants[0]!, id, slug, epoch };
    scope.refresh = () => {
      refreshed.push(slug);
      scope.tenant = { ...scope.tenant!, epoch: '7' };
      return Promise.resolve();
    };
    return scope;
  };
  const ids = [uuidv7(), uuidv7()];
  for (const id of ids)
    await admin.query(
      `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at, epoch)
       values ($1, $2, 'Gathered', 'free', 1, 1, now(), 7)`,
      [id, `gathered-${id}`],
    );
  const scopes = [scopeOf('known', '7', ids[0]!), scopeOf('changed', '6', ids[1]!)];
  const answers = await Promise.all(scopes.map((scope) => runInScope(scope, () => database.read(short(SEEN)))));
  expect(answers).toMatchObject(ids.map((id) => [{ tenant: id }]));
  expect(refreshed).toEqual(['changed']);
});

const add = (series: string): Statement =>
  statement(
    `insert into data.number_series (tenant_id, series, next) values (current_setting('app.tenant_id')::uuid, $1, 1)`,
    [series],
  );
/** A unit of work that adds rows; `completion` as in a request with an idempotency key. */
const unit = (tenant: TenantFacts, names: string[], completion: Scope['completion'] = null) =>
  runAsSystem(tenant, 'test', 'req_gathered', () => {
    currentScope().completion = completion;
    const work = (transaction: Transaction) => {
      for (const name of names) transaction.write(add(name));
      return Promise.resolve(names);
    };
    return database.transaction(work, { mayShare: true });
  });
/** The rows added by each transaction, in the order of names. */
async function added(prefix: string): Promise<string[][]> {
  const { rows } = await admin.query<{ series: string; flight: string }>(
    `select tenant_id || xmin::text as flight, series from data.number_series where series like $1 order by series`,
    [`${prefix}%`],
  );
  return [...Map.groupBy(rows, ({ flight }) => flight).values()].map((own) => own.map(({ series }) => series));
}

it('commit new rows together with those of their tenant, or separately with a key', async () => {
  const [one, other] = [tenants[4]!, tenants[5]!];
  const key = () => add('unit-7-key');
  const units = ['1', '2', '3'].map((name) => unit(one, [`unit-${name}-a`, `unit-${name}-b`]));
  await Promise.all([...units, unit(other, ['unit-6']), unit(one, ['unit-7'], key)]);
  expect(await added('unit-')).toEqual([
    ['1', '2', '3'].flatMap((name) => [`unit-${name}-a`, `unit-${name}-b`]),
    ['unit-6'],
    ['unit-7', 'unit-7-key'],
  ]);
});

it('commit new rows atomically, regardless of others in the flight', async () => {
  const tenant = tenants[4]!;
  const outcomes = await Promise.allSettled([
    unit(tenant, ['part-1-a', 'part-1-b']),
    unit(tenant, ['part-2-a', 'part-2-a']),
    unit(tenant, ['part-3']),
  ]);
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: '23505' } },
    { status: 'fulfilled' },
  ]);
  expect(await added('part-')).toEqual([['part-1-a', 'part-1-b'], ['part-3']]);
});

it('are all retried when the connection is lost', async () => {
  const { rows } = await admin.query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'direct' and datname = current_database()`,
  );
  await admin.query('select pg_advisory_lock(62)');
  const gate = short(`select pg_advisory_xact_lock_shared(62), current_setting('app.tenant_id') as tenant`);
  const reading = Promise.all(tenants.map((tenant) => read(tenant, gate)));
  for (const { pid } of rows) await admin.query('select pg_terminate_backend($1, 5000)', [pid]);
  await admin.query('select pg_advisory_unlock(62)');
  expect(await reading).toMatchObject(tenants.map(({ id }) => [{ tenant: id }]));
});

it('wait for a connection together', async () => {
  const pool = (source.driver as PostgresDriver).master as pg.Pool;
  const held = [await pool.connect(), await pool.connect()];
  const asked = jest.spyOn(pool, 'connect');
  const answers = await Promise.allSettled(tenants.map((tenant) => read(tenant)));
  held.forEach((client) => client.release());
  expect(answers).toMatchObject(tenants.map(() => ({ status: 'rejected', reason: { code: 'overloaded' } })));
  expect(asked).toHaveBeenCalledTimes(1);
});
