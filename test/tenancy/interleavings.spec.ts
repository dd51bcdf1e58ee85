import type pg from 'pg';
import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { currentTenant, runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { type DirectDatabase, directDatabase } from './direct-database.js';
import { randomFrom } from './traffic.js';

/** Units of work of many tenants, interleaved at random, aborted at any await, over few connections. */
const UNITS = Number(process.env['INTERLEAVINGS'] ?? 2_000);
const TENANTS = 20;
const AT_ONCE = 16;
const CONNECTIONS = 4;
const ABORT_SHARE = 0.06;
const SEED = Number(process.env['INTERLEAVINGS_SEED'] ?? 1);

const random = randomFrom(SEED);
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;

let direct: DirectDatabase;
let admin: pg.Client;
let database: Database;

beforeAll(async () => {
  direct = await directDatabase('app', CONNECTIONS);
  ({ admin, database } = direct);
});
afterAll(() => direct.close());

/** A unit of work that was aborted on purpose. */
class Aborted extends Error {}

const CONTEXT = statement(`select current_setting('app.tenant_id') as tenant, tenant_id from
  (values (1)) one left join data.number_series on true`);
const add = (series: string) =>
  statement(`insert into data.number_series (tenant_id, series, next) values ($1, $2, 1)`, [
    currentTenant().id,
    series,
  ]);

/** Yields to others, or aborts the unit of work. */
async function turn(): Promise<void> {
  for (let turns = Math.floor(random() * 3); turns > 0; turns--) await new Promise((done) => setImmediate(done));
  if (random() < ABORT_SHARE) throw new Aborted();
}

let foreign = 0;

function look(rows: { tenant: string; tenant_id: string | null }[]): void {
  const { id } = currentTenant();
  if (rows.some(({ tenant, tenant_id }) => tenant !== id || (tenant_id !== null && tenant_id !== id))) foreign += 1;
}

type Step = (transaction: Transaction, written: string[]) => Promise<void>;

const STEPS: Step[] = [
  async (transaction) => look(await transaction.query(CONTEXT)),
  async () => look(await database.read(CONTEXT)), // joins the transaction
  (transaction, written) => {
    const series = uuidv7();
    transaction.write(add(series));
    written.push(series);
    return Promise.resolve();
  },
  async (transaction, written) => {
    const kept = written.length;
    await transaction
      .savepoint(async () => {
        const series = uuidv7();
        await transaction.query(add(series));
        written.push(series);
        await turn();
        if (random() < 0.5) await transaction.query(add(series)); // an existing key
      })
      .catch((error: Error & { code?: string }) => {
        written.length = kept;
        if (!(error instanceof Aborted) && error.code !== '23505') throw error;
      });
  },
  async (transaction) =>
    void (await transaction.query(statement('select 1 / (1 - $1::int)', [random() < 0.1 ? 1 : 0]))),
];

/** Series that it has committed; null when it was aborted or failed. */
async function unitOfWork(): Promise<string[] | null> {
  try {
    await turn();
    look(await database.read(CONTEXT));
    const written = await database.transaction(async (transaction) => {
      const series: string[] = [];
      for (let steps = Math.floor(random() * 5); steps > 0; steps--) {
        await turn();
        await pick(STEPS)(transaction, series);
      }
      await turn();
      return series;
    });
    return written;
  } catch (error) {
    if (error instanceof Aborted || (error as { code?: string }).code === '22012') return null;
    throw error;
  }
}

it(`keeps every unit of work within its tenant and atomic (seed ${SEED})`, async () => {
  const tenants: TenantFacts[] = Array.from({ length: TENANTS }, (_, i) => {
    return { id: uuidv7(), slug: `t${i}`, plan: 'free', currency: 'USD', epoch: '1' };
  });
  const committed = new Map<string, string[]>(tenants.map(({ id }) => [id, []]));
  let left = UNITS;
  let ended = 0;
  const client = async () => {
    while (left-- > 0) {
      const tenant = pick(tenants);
      const series = await runAsSystem(tenant, 'test', 'req_interleavings', unitOfWork);
      if (series) committed.get(tenant.id)!.push(...series);
      else ended += 1;
      // Outside of a scope nothing reaches the server.
      if (random() < 0.05) await expect(database.read(CONTEXT)).rejects.toThrow(/scope|tenant/i);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));

  expect(foreign).toBe(0);
  expect(ended).toBeGreaterThan(UNITS / 20);
  for (const { id } of tenants) {
    const { rows } = await admin.query<{ series: string }>(
      `select series from data.number_series where tenant_id = $1`,
      [id],
    );
    expect(rows.map(({ series }) => series).sort()).toEqual(committed.get(id)!.sort());
  }
});

it('leaves no open transaction, no tenant on a connection and no waiters', async () => {
  const { rows } = await admin.query(
    `select state from pg_stat_activity where datname = current_database() and application_name = 'interleavings' and state <> 'idle'`,
  );
  expect(rows).toEqual([]);
  const tenant = statement(`select current_setting('app.tenant_id', true) as tenant, pg_sleep(0.01)::text`);
  const answers = await Promise.all(Array.from({ length: CONNECTIONS * 2 }, () => database.system([tenant])));
  expect(answers.every(([answer]) => !answer!.rows[0]!['tenant'])).toBe(true);
  expect(database.connections).toMatchObject({ waiting: 0, total: database.connections.idle });
});
