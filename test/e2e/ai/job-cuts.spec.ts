import { uuidv7 } from '#libs/kernel/id.js';
import { until } from '#libs/testing/until.js';
import { PostgresProxy } from '../../../bench/faults/postgres-proxy.mjs';
import { Purse } from '../../harness/ai-money.js';
import type { Answer, Client } from '../../harness/client.js';
import { adminPool, createTestDatabase, type TestDatabase } from '../../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../../harness/platform.js';
import { FAILED, JOBS, makeJob, move, parkJob, setPolicy, TEXT } from './job-calls.js';

/** Messages that end a flight. PostgreSQL has executed it, but the API never learns this when the connection is cut. */
const ENDS_FLIGHT = /[SQ]/;
const NEVER = 1_000_000;
const DEALS = '/api/v1/sales/deals';

let database: TestDatabase;
let proxy: PostgresProxy;
let platform: TestPlatform;
let tenant: TestTenant;
let approver: Client;
let admin: ReturnType<typeof adminPool>;
beforeAll(async () => {
  database = await createTestDatabase({ AI_LOCAL_PRICE_MICROS_PER_1K: '1000' });
  proxy = await PostgresProxy.start(database.appUrl);
  platform = await startPlatform({ shared: { ...database, appUrl: proxy.urlOf(database.appUrl) } });
  admin = adminPool(database.adminUrl, 2);
  tenant = await platform.tenant();
  approver = (await platform.member(tenant, 'Ada')).api;
  await setPolicy(tenant, { ratePerMinute: 10_000 });
  await new Purse(platform, tenant).budget({ limitMicros: 1_000_000_000 });
});
afterAll(async () => {
  await platform.close();
  await proxy.close();
  await admin.end();
  await database.drop();
});

/** All stored data about jobs, rows in the same transaction, and money. */
const FIGURES: Record<string, string> = {
  jobs: `select status, count(*), sum(reserved_cost_micros) as reserved, sum(version) as versions from data.ai_jobs
    where tenant_id = $1 group by status`,
  targets: `select count(*) from data.ai_job_targets where tenant_id = $1`,
  queue: `select state, count(*) from data.ai_queue where tenant_id = $1 group by state`,
  decisions: `select outcome, count(*) from data.ai_decisions where tenant_id = $1 group by outcome`,
  accounts: `select kind, sum(held_micros) as held from data.ai_accounts where tenant_id = $1 group by kind`,
  reservations: `select state, count(*), sum(held_micros) as held from data.ai_reservations where tenant_id = $1
    group by state`,
  ledger: `select kind, count(*), sum(held_delta) as held from data.ai_ledger where tenant_id = $1 group by kind`,
  approvals: `select status, count(*), sum(version) as versions from data.home_approvals where tenant_id = $1 group by status`,
  timers: `select kind, state, count(*) from data.automation_runs where tenant_id = $1 group by kind, state`,
  moves: `select action, count(*) from data.record_transitions where tenant_id = $1 group by action`,
  deals: `select count(*), sum(version) as versions from data.sales_deals where tenant_id = $1`,
  audit: `select action, count(*) from data.audit_log where tenant_id = $1 group by action`,
  events: `select type, count(*) from data.events where tenant_id = $1 group by type`,
  answers: `select operation, count(*) from data.idempotency_keys where tenant_id = $1 and completed_at is not null
    group by operation`,
};

/** Each figure of {@link FIGURES} by subject. */
async function figures(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const [name, query] of Object.entries(FIGURES))
    for (const row of (await admin.query<Record<string, string | null>>(query, [tenant.id])).rows) {
      const { kind, state, status, type, action, operation, outcome, ...sums } = row;
      const of = [name, kind, state, status, type, action, operation, outcome].filter(Boolean).join(' ');
      for (const [figure, value] of Object.entries(sums)) found.set(`${of} ${figure}`, Number(value));
    }
  return found;
}

/** Changes since then. */
async function changesSince(before: Map<string, number>): Promise<Record<string, number>> {
  const changes: Record<string, number> = {};
  const now = await figures();
  for (const [figure, value] of now) {
    const change = value - (before.get(figure) ?? 0);
    if (change !== 0) changes[figure] = change;
  }
  // A figure that no longer exists.
  for (const [figure, value] of before) if (!now.has(figure) && value !== 0) changes[figure] = -value;
  return changes;
}

/** Reservations without a job or different from it, and inconsistent sums. */
async function discrepancies(): Promise<unknown[]> {
  const { rows } = await admin.query(
    `select r.id from data.ai_reservations r left join data.ai_jobs j
       on j.tenant_id = r.tenant_id and j.id = r.job_id and j.reservation_id = r.id
         and j.status in ('queued', 'awaiting_approval', 'approved', 'running')
     where r.tenant_id = $1 and r.held_micros <> coalesce(j.reserved_cost_micros, 0)`,
    [tenant.id],
  );
  return [...(rows as unknown[]), ...(await new Purse(platform, tenant).mismatches())];
}

/** A call of the API, prepared. */
interface Prepared {
  api: Client;
  path: string;
  body?: object;
}
const on = (api: Client, id: string, action: string, body?: object): Prepared => ({
  api,
  path: `${JOBS}/${id}/${action}`,
  ...(body ? { body } : {}),
});
const summarize = (more: object = {}): Prepared => ({
  api: tenant.api,
  path: JOBS,
  body: { kind: 'text.summarize', input: { text: TEXT }, ...more },
});

async function failedJob(): Promise<string> {
  const { id } = await makeJob(tenant.api);
  await move(platform, tenant, id, 'start');
  await move(platform, tenant, id, 'fail', FAILED);
  await settle(id);
  return id;
}
/** Releases the reservation of a job, as its worker does after settlement. */
async function settle(id: string): Promise<void> {
  const { rows } = await admin.query<{ reservation_id: string }>(
    'select reservation_id from data.ai_jobs where id = $1',
    [id],
  );
  await new Purse(platform, tenant).release(rows[0]!.reservation_id);
}
/** A job that proposes to change a deal, and the review that accepts it. */
async function review(): Promise<Prepared> {
  const deal = await tenant.api.post<{ id: string }>(DEALS, { name: 'Acme renewal' });
  const { id } = await makeJob(tenant.api);
  const change = { id: uuidv7(), operation: 'deals.update', params: { nextStep: 'Call' }, reason: 'Due.' };
  const target = { object: 'sales.deal', id: deal.body.id };
  const proposedActions = [{ ...change, target, status: 'proposed', problem: null, record: null }];
  await move(platform, tenant, id, 'start');
  await move(platform, tenant, id, 'request_review', { output: { text: '', json: null }, proposedActions });
  await settle(id);
  return on(approver, id, 'review', { accept: [change.id] });
}

const CALLS: Record<string, () => Promise<Prepared>> = {
  'asking for a job': () => Promise.resolve(summarize()),
  'asking for a job about a record': async () => {
    const deal = await tenant.api.post<{ id: string }>(DEALS, { name: 'Acme renewal' });
    return summarize({ kind: 'record.summarize', input: {}, targets: [{ object: 'sales.deal', id: deal.body.id }] });
  },
  'asking for a job that needs approval': () => Promise.resolve(summarize({ approval: 'required' })),
  'asking for a job that the cap is too small for': () => Promise.resolve(summarize({ costCapMicros: 1 })),
  'approving, for less': async () => on(approver, (await parkJob(tenant.api)).id, 'approve', { costCapMicros: 100 }),
  'approving by way of the request': async () => {
    const { approvalId } = await parkJob(tenant.api);
    return { api: approver, path: `/api/home/approvals/${approvalId}/approve` };
  },
  rejecting: async () => on(approver, (await parkJob(tenant.api)).id, 'reject', { reason: 'Too dear' }),
  'cancelling what waits for approval': async () => on(tenant.api, (await parkJob(tenant.api)).id, 'cancel'),
  'cancelling what is queued': async () => on(tenant.api, (await makeJob(tenant.api)).id, 'cancel'),
  'having it run again': async () => on(tenant.api, await failedJob(), 'retry'),
  'having it run again for more': async () => on(tenant.api, await failedJob(), 'retry', { costCapMicros: 2_000_000 }),
  reviewing: review,
};

const send = ({ api, path, body }: Prepared, key: string): Promise<Answer> =>
  api.post(path, body, { 'idempotency-key': key });

/**
 * Starts the API with fresh connections without prepared statements, so that all calls take the same number of flights.
 */
async function reconnect(): Promise<void> {
  proxy.disarm();
  await until(async () => (await tenant.api.get(`${JOBS}?limit=1`)).status === 200);
}

/**
 * Makes a call whose connection is cut after this many flights; returns the number of flights and whether it was cut.
 */
async function cutDuring(call: Prepared, key: string, count: number): Promise<{ flights: number; wasCut: boolean }> {
  await reconnect();
  const cut = proxy.arm(count, ENDS_FLIGHT).then(() => true);
  const answer = send(call, key).catch(() => undefined);
  const wasCut = await Promise.race([cut, answer.then(() => false)]);
  const flights = proxy.passed.split(ENDS_FLIGHT).length - 1;
  proxy.disarm();
  await answer;
  await reconnect();
  // A key whose release was cut off becomes free after a while.
  await admin.query(
    `update data.idempotency_keys set locked_until = now() - interval '1 second' where completed_at is null`,
  );
  return { flights, wasCut };
}

describe.each(Object.entries(CALLS))('the connection to PostgreSQL is cut while %s', (_name, prepare) => {
  it('applies all or nothing, and a retry has exactly one effect', async () => {
    const calm = await prepare();
    const start = await figures();
    const { flights } = await cutDuring(calm, uuidv7(), NEVER);
    const expected = await changesSince(start);
    expect(flights).toBeGreaterThan(2);
    expect(Object.keys(expected).some((figure) => figure.startsWith('events'))).toBe(true);

    // A call may take one flight more or less than an undisturbed one, so it is cut one later each time until it
    // completes.
    const done = new Set<boolean>();
    for (let flight = 1; flight <= flights || !done.has(true); flight += 1) {
      const [call, key] = [await prepare(), uuidv7()];
      const before = await figures();
      const { wasCut } = await cutDuring(call, key, flight);
      if (!wasCut) {
        if (!done.has(true)) flight -= 2;
        continue;
      }
      const changes = await changesSince(before);
      const isDone = Object.keys(changes).length > 0;
      expect({ flight, changes: isDone ? changes : expected }).toEqual({ flight, changes: expected });
      expect(await discrepancies()).toEqual([]);
      const answer = await send(call, key);
      expect({ flight, status: answer.status < 300, replayed: answer.headers.get('idempotent-replayed') }).toEqual({
        ...{ flight, status: true, replayed: isDone ? 'true' : null },
      });
      expect({ flight, changes: await changesSince(before) }).toEqual({ flight, changes: expected });
      expect(await discrepancies()).toEqual([]);
      done.add(isDone);
    }
    expect([...done].sort()).toEqual([false, true]);
  });
});
