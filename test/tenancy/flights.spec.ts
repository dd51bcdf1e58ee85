import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { until } from '#libs/testing/until.js';
import { type DirectDatabase, directDatabase } from './direct-database.js';
import { insertion } from './row-builder.js';
import { makeNeighbours } from './targets.js';

/**
 * Guarantees for statements that share a round trip: row-level security, atomicity, and a clean connection afterwards.
 */
let direct: DirectDatabase;
let admin: pg.Client;
let source: DataSource;
let database: Database;

beforeAll(async () => {
  direct = await directDatabase('app');
  ({ admin, source, database } = direct);
  await admin.query(`create table public.later (id int unique deferrable initially deferred)`);
  await admin.query(`grant select, insert on public.later to public`);
});
afterAll(() => direct.close());

const tenantOf = (id: string): TenantFacts => ({ id, slug: 'flights', plan: 'free', currency: 'USD', epoch: '1' });
const asTenant = <T>(tenant: TenantFacts, work: () => Promise<T>): Promise<T> =>
  runAsSystem(tenant, 'test', 'req_flights', work);

const SERIES = `insert into data.number_series (tenant_id, series, next) values ($1, $2, 1)`;
const add = ({ id }: TenantFacts, series: string) => statement(SERIES, [id, series]);
const CONTEXT = statement(
  `select current_setting('app.tenant_id', true) as tenant, pg_backend_pid() as pid, current_setting('transaction_read_only') as frozen`,
);

async function seriesOf({ id }: TenantFacts): Promise<string[]> {
  const { rows } = await admin.query<{ series: string }>(
    'select series from data.number_series where tenant_id = $1 order by series',
    [id],
  );
  return rows.map(({ series }) => series);
}

/** Tenant, process and mode of the single connection outside of any flight of a tenant. */
async function connection() {
  const [answer] = await database.system([CONTEXT]);
  return answer!.rows[0] as { tenant: string | null; pid: number; frozen: string };
}

describe('a flight', () => {
  it('stays within its tenant on every table', async () => {
    const { tenantId, targets } = await makeNeighbours(admin);
    const findings: string[] = [];
    await asTenant(tenantOf(tenantId), async () => {
      for (const { table, foreign, foreignDraft } of targets) {
        const name = `data.${table.name}`;
        const other = foreign['tenant_id'];
        const seen = await database.read<{ tenant_id: string }>({ text: `select tenant_id from ${name}`, values: [] });
        if (seen.length === 0 || seen.some((row) => row.tenant_id !== tenantId)) findings.push(`${name}: read`);
        const writes = {
          update: { text: `update ${name} set tenant_id = tenant_id where tenant_id = $1`, values: [other] },
          delete: { text: `delete from ${name} where tenant_id = $1`, values: [other] },
          insert: insertion(table, foreignDraft),
        };
        for (const [kind, write] of Object.entries(writes)) {
          const outcome = await database.aside([write]).then(
            ([answer]) => (kind !== 'insert' && answer!.count === 0 ? null : 'went through'),
            (error: Error) => (/row-level security|permission denied/.test(error.message) ? null : error.message),
          );
          if (outcome) findings.push(`${name}: ${kind} ${outcome}`);
        }
      }
    });
    expect(findings).toEqual([]);
  });

  it('changes nothing when it is read-only', async () => {
    const tenant = tenantOf(uuidv7());
    await expect(asTenant(tenant, () => database.read(add(tenant, 'a')))).rejects.toMatchObject({ code: '25006' });
    expect(await seriesOf(tenant)).toEqual([]);
    expect(await connection()).toMatchObject({ frozen: 'off' });
  });

  it('on a snapshot sees one state of the tenant, and changes nothing', async () => {
    const tenant = tenantOf(uuidv7());
    const query = statement('select series from data.number_series where tenant_id = $1', [tenant.id]);
    const seen = await asTenant(tenant, () =>
      database.snapshot(async (transaction) => {
        const before = await transaction.query(query);
        await admin.query(SERIES, [tenant.id, 'meanwhile']);
        return [before, await database.read(query)];
      }),
    );
    expect(seen).toEqual([[], []]);
    expect(await seriesOf(tenant)).toEqual(['meanwhile']);
    const write = asTenant(tenant, () => database.snapshot((transaction) => transaction.query(add(tenant, 'a'))));
    await expect(write).rejects.toMatchObject({ code: '25006' });
    expect(await connection()).toMatchObject({ tenant: '', frozen: 'off' });
  });

  it('cannot be sent without a tenant', async () => {
    for (const work of [() => database.read(CONTEXT), () => database.aside([CONTEXT]), () => database.confirm()])
      await expect(work()).rejects.toThrow(/scope|tenant/i);
    expect(database.connections.waiting).toBe(0);
  });

  it.each([
    ['does not parse', { text: 'selectt', values: [] }, '42601'],
    ['has a value of another type', { text: 'select $1::uuid', values: ['no-uuid'] }, '22P02'],
    ['breaks a constraint', { text: 'insert into public.later values (null), (1), (1)', values: [] }, '23505'],
    [
      'takes too long',
      { text: `select set_config('statement_timeout', '20', true), pg_sleep(0)`, values: [] },
      '57014',
    ],
  ])('is rolled back completely when one of its statements %s', async (_name, bad, code) => {
    const tenant = tenantOf(uuidv7());
    const { pid } = await connection();
    const slow = code === '57014' ? [{ text: 'select pg_sleep(60)', values: [] }] : [];
    const failed = asTenant(tenant, () => database.aside([add(tenant, 'a'), bad, ...slow, add(tenant, 'b')]));
    const error: unknown = await failed.catch((thrown: unknown) => thrown);
    const cause = (error as Error).cause ?? error;
    expect(cause).toMatchObject({ code });
    expect(await seriesOf(tenant)).toEqual([]);
    expect(await connection()).toEqual({ tenant: '', pid, frozen: 'off' });
  });

  it('sends nothing when a value cannot be serialized, and the connection stays usable', async () => {
    const tenant = tenantOf(uuidv7());
    const { pid } = await connection();
    const unwritable = {
      toPostgres() {
        throw new Error('unwritable');
      },
    };
    const query = statement('select $1::text as written, 1 as unwritable', [unwritable]);
    const wrong = { text: 'selectt', values: [] };
    await expect(asTenant(tenant, () => database.aside([add(tenant, 'a'), wrong]))).rejects.toThrow('syntax');
    // Whether its first statement is prepared is unknown since then, and stays unknown after this one.
    await expect(asTenant(tenant, () => database.aside([add(tenant, 'a'), query]))).rejects.toThrow('unwritable');
    await asTenant(tenant, () => database.aside([add(tenant, 'b')]));
    expect(await seriesOf(tenant)).toEqual(['b']);
    const answers = await asTenant(tenant, () => database.aside([{ ...query, values: ['now'] }]));
    expect(answers[0]!.rows).toEqual([{ written: 'now', unwritable: 1 }]);
    expect(await connection()).toMatchObject({ pid });
  });

  it('does not rely on statement names first used in a failed flight', async () => {
    const tenant = tenantOf(uuidv7());
    // Named explicitly, because statement() stops assigning names once a process has used them up.
    const named = (name: string, text: string) => ({ name, text, values: [] });
    const [before, after] = [named('before', 'select 1 as before_it'), named('after', 'select 2 as after_it')];
    const wrong = named('wrong', 'select no_such_column');
    const send = () => asTenant(tenant, () => database.aside([before, wrong, after]));
    await expect(send()).rejects.toMatchObject({ code: '42703' });
    await expect(send()).rejects.toMatchObject({ code: '42703' });
    const answers = await asTenant(tenant, () => database.aside([after, before, after]));
    expect(answers.map(({ rows }) => rows[0])).toEqual([{ after_it: 2 }, { before_it: 1 }, { after_it: 2 }]);
    const [counted] = await database.system([
      statement('select count(*)::int as count from pg_prepared_statements where name = any($1)', [
        [before.name, wrong.name, after.name],
      ]),
    ]);
    expect(counted!.rows).toEqual([{ count: 2 }]);
  });
});

describe('a connection lost during a flight', () => {
  /** Terminates the connection while it runs the statement. */
  async function endWhile(text: string): Promise<void> {
    const running = `select pid from pg_stat_activity where datname = current_database() and state = 'active' and query = $1`;
    const pid = await until(async () => (await admin.query<{ pid: number }>(running, [text])).rows[0]?.pid);
    await admin.query('select pg_terminate_backend($1, 5000)', [pid]);
  }

  it('rolls back its writes and is replaced by another one', async () => {
    const tenant = tenantOf(uuidv7());
    const sleep = 'select pg_sleep(61)';
    const lost = asTenant(tenant, () => database.aside([add(tenant, 'a'), { text: sleep, values: [] }]));
    await Promise.all([expect(lost).rejects.toMatchObject({ code: 'unavailable', status: 503 }), endWhile(sleep)]);
    expect(await seriesOf(tenant)).toEqual([]);
    expect(await connection()).toMatchObject({ tenant: expect.not.stringMatching(/./) as unknown });
  });

  it('is not noticed by readers', async () => {
    const tenant = tenantOf(uuidv7());
    const gate = `select pg_advisory_xact_lock_shared(61), 'read' as found`;
    await admin.query('select pg_advisory_lock(61)');
    const reading = asTenant(tenant, () => database.read<{ found: string }>({ text: gate, values: [] }));
    await endWhile(gate);
    await admin.query('select pg_advisory_unlock(61)');
    expect(await reading).toMatchObject([{ found: 'read' }]);
  });
});

describe('a pool without a free connection', () => {
  it('fails after a timeout, once, and reports overload', async () => {
    const tenant = tenantOf(uuidv7());
    const { master: pool } = source.driver as PostgresDriver;
    const held = await (pool as pg.Pool).connect();
    const asked = jest.spyOn(pool as pg.Pool, 'connect');
    await expect(asTenant(tenant, () => database.read(CONTEXT))).rejects.toMatchObject({
      code: 'overloaded',
      status: 503,
      more: { headers: { 'retry-after': '1' } },
    });
    expect(asked).toHaveBeenCalledTimes(1);
    held.release();
    expect(await asTenant(tenant, () => database.read(CONTEXT))).toMatchObject([{ tenant: tenant.id }]);
  });
});
