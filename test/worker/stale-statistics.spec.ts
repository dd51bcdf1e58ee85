import type { INestApplicationContext } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { startWork } from '#src/worker/app.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { until } from '#libs/testing/until.js';
import { ENDPOINT_CAP } from '#libs/webhooks/leases/claim.js';
import { DeliveryConsumer } from '#libs/webhooks/sending/delivery.consumer.js';
import { DeliveryRepository } from '#libs/webhooks/leases/delivery.repository.js';
import { LostLeases } from '#libs/webhooks/leases/lost-leases.js';
import { EventRelay } from '#libs/webhooks/relay/event.relay.js';
import { LeaseKeeper } from '#libs/webhooks/leases/lease-keeper.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';
import { Stage } from './stage.js';

/**
 * Queue tables are mostly empty when PostgreSQL collects statistics. When a backlog arrives, plans assume empty tables
 * for a minute or more: a plan that reads the whole queue for each delivery would let leases expire and deliveries in
 * flight be sent again.
 */
const TENANTS = 20;
const WAITING = 4_000;
/** Rows and index lookups that one plan node may handle: a batch, but not the whole queue. */
const MOST_ROWS = WAITING * 0.75;

/** A node of a plan as `auto_explain` logs it. */
interface Node {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Index Searches'?: number;
  Plans?: Node[];
}

let stage: Stage;
let worker: INestApplicationContext;
let endpoints: { tenantId: string; id: string }[];
/** Maximum rows handled by any plan node of each statement. */
const handled = new Map<string, number>();
beforeAll(async () => {
  stage = await Stage.open();
  const receiver = await stage.receiver();
  endpoints = [];
  for (let each = 0; each < TENANTS; each++) {
    const tenant = await stage.platform.tenant({ plan: 'enterprise' });
    const ordering = each % 2 === 0 ? 'none' : 'per_resource';
    const { id } = await stage.endpoint(tenant, receiver.url, { ordering });
    if (each === 0) await stage.deal(tenant);
    endpoints.push({ tenantId: tenant.id, id });
  }
  await emptied();
  await havePlansLogged();
  worker = await stage.idleWorker();
  listen();
});
afterAll(() => stage.close());

/** As many were queued before and are gone now. */
async function emptied(): Promise<void> {
  await addEvents(WAITING);
  const before = await stage.idleWorker();
  while ((await before.get(EventRelay).pass()) !== 'none');
  await stage.stopWorkers();
  // The last row prevents PostgreSQL from truncating the table: many empty pages remain.
  await stage.sql('delete from data.webhook_queue where ctid <> (select max(ctid) from data.webhook_queue)');
  await stage.sql(`update data.webhook_deliveries set status = 'delivered', delivered_at = now()`);
  for (const table of [
    'events',
    'events_pending',
    'event_numbers',
    'webhook_deliveries',
    'webhook_queue',
    'webhook_claims',
  ])
    await stage.sql(`vacuum analyze data.${table}`);
  await stage.sql('delete from data.webhook_queue');
}

/** Inserts copies of the event of a deal. */
async function addEvents(count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => uuidv7());
  await stage.sql(
    `with added as (
       insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope)
       select t.id, e.id, of.type, of.schema_version, now(), of.subject_type, e.id::text,
         replace(replace(of.envelope, of.id::text, e.id::text), of.tenant_id::text, t.id::text)
       from (select * from data.events where type = 'sales.deal.created' order by id limit 1) of,
         unnest($1::uuid[]) with ordinality e (id, n) join unnest($2::uuid[]) with ordinality t (id, n) on t.n = 1 + e.n % $3
       returning tenant_id, id)
     insert into data.events_pending (tenant_id, event_id) select tenant_id, id from added`,
    [ids, endpoints.map(({ tenantId }) => tenantId), TENANTS],
  );
}

/** Makes the connections of the worker log the plan of each statement. */
async function havePlansLogged(): Promise<void> {
  const { username, pathname } = new URL(stage.platform.database.systemUrl);
  const settings = {
    session_preload_libraries: 'auto_explain',
    client_min_messages: 'log',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'log',
  };
  for (const [name, value] of Object.entries(settings))
    await stage.sql(`alter role "${username}" in database "${pathname.slice(1)}" set ${name} to '${value}'`);
}

function listen(): void {
  const pool = (worker.get(DataSource).driver as PostgresDriver).master as Pool;
  const heard = new WeakSet<PoolClient>();
  pool.on('acquire', (client) => {
    if (heard.has(client)) return;
    heard.add(client);
    client.on('notice', ({ message }) => note(message ?? ''));
  });
}

function note(message: string): void {
  const start = message.indexOf('plan:');
  if (start < 0) return;
  const { 'Query Text': text, Plan: plan } = JSON.parse(message.slice(start + 5)) as {
    'Query Text': string;
    Plan: Node;
  };
  handled.set(text, Math.max(handled.get(text) ?? 0, mostRows(plan)));
}

function mostRows(node: Node): number {
  const removed = ['Filter', 'Join Filter', 'Index Recheck'] as const;
  const each = removed.reduce((sum, by) => sum + (node[`Rows Removed by ${by}`] ?? 0), node['Actual Rows']);
  const own = Math.max(each * node['Actual Loops'], node['Index Searches'] ?? 0);
  return Math.max(own, ...(node.Plans ?? []).map(mostRows));
}

const heavy = () =>
  Array.from(handled, ([text, rows]) => ({ rows, text })).filter(
    ({ rows, text }) => rows > MOST_ROWS && !text.includes('"deadShare"'), // the metrics count the whole queue every 15 seconds
  );
const figure = async (sql: string) =>
  (await stage.sql<{ figure: number }>(`select (select ${sql}) as figure`))[0]!.figure;

/** Events of all tenants are fanned out, leased, renewed, released, and lost by a dead worker. */
async function upToSending(count: number): Promise<void> {
  const relay = worker.get(EventRelay);
  const repository = worker.get(DeliveryRepository);
  const presence = worker.get(WorkerPresence);
  await addEvents(count);
  while ((await relay.pass()) !== 'none');
  expect(await figure('count(*)::integer from data.webhook_queue')).toBe(count);
  const room = { total: count, retries: 0, slow: 0 };
  const leases = await repository.claim(room, presence.token());
  expect(leases).toHaveLength(Math.min(count, TENANTS * ENDPOINT_CAP));
  expect((await repository.renew(leases)).size).toBe(leases.length);
  await repository.giveBack(leases);
  await repository.claim(room, uuidv7());
  await worker.get(LostLeases).look();
  await worker.get(LostLeases).look();
  expect(await figure('count(lease_token)::integer from data.webhook_queue')).toBe(0);
}

/** Sends as many as may be leased at once. */
async function send(): Promise<void> {
  const token = worker.get(WorkerPresence).token();
  const leases = await worker.get(DeliveryRepository).claim({ total: WAITING, retries: 0, slow: 0 }, token);
  worker.get(LeaseKeeper).queue(leases);
  const tenants = leases.map(({ tenantId, id }) => ({ id: tenantId, deliveryIds: [id] }));
  await worker.get(DeliveryConsumer).run({ token, tenants });
  await until(async () => (await figure('count(lease_token)::integer from data.webhook_queue')) === 0);
}

/** Resolves when all events are fanned out and at most this many are left in the queue. */
const left = (count: number) =>
  until(async () => {
    if ((await figure('count(*)::integer from data.events_pending')) > 0) return false;
    return (await figure('count(*)::integer from data.webhook_queue')) === count;
  });

it('a backlog is processed by index, whatever size the planner assumes', async () => {
  await upToSending(TENANTS);
  await send(); // all statements are planned now
  expect(await figure('count(*)::integer from data.webhook_queue')).toBe(0);
  await upToSending(WAITING);
  await send();
  expect(heavy()).toEqual([]);
  await startWork(worker);
  await left(0);
  expect(handled.size).toBeGreaterThan(15);
  expect(heavy()).toEqual([]);
});

it('direct deliveries use indexes too, with an initially empty queue that grows later', async () => {
  await addEvents(TENANTS);
  await left(0);
  // Claims and direct leases.
  expect([...handled.keys()].filter((text) => text.includes('tenant_turn <= tenant_room order by'))).toHaveLength(2);
  await stage.sql(`insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, cause, due_at)
    select d.tenant_id, d.id, d.endpoint_id, d.subject_id, d.sequence, 'schedule', now() + interval '1 hour'
    from data.webhook_deliveries d`);
  const waiting = await figure('count(*)::integer from data.webhook_queue');
  expect(waiting).toBeGreaterThan(MOST_ROWS);
  await addEvents(TENANTS * 10);
  await left(waiting);
  expect(heavy()).toEqual([]);
});
