import type { INestApplicationContext } from '@nestjs/common';
import pg from 'pg';
import { pino } from 'pino';
import { ENTITIES } from '#src/areas/entities.js';
import { createWorker, startWork } from '#src/worker/app.js';
import { redisAvailable, RedisServer } from '#libs/testing/redis-server.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';
import { asAdmin } from '../harness/database.js';
import { eventFaults } from '../harness/event-faults.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../harness/platform.js';
import { Receiver } from './receiver.js';
import { until } from '#libs/testing/until.js';

/** Queue backends available on this machine. */
export const BACKENDS = ['PostgreSQL', ...(redisAvailable() ? (['Redis'] as const) : [])] as const;
export type Backend = 'PostgreSQL' | 'Redis';

/** An endpoint as returned by its creation. */
export interface TestEndpoint {
  id: string;
  secret: string;
  path: string;
}

export interface DeliveryRow {
  id: string;
  event_id: string;
  event_type: string;
  status: string;
  attempts: number;
  due_at: Date | null;
  leased_until: Date | null;
}

/** The REST app with a separate database, workers on demand, and receivers. */
export class Stage {
  private readonly workers: INestApplicationContext[] = [];
  private readonly receivers: Receiver[] = [];

  private constructor(
    readonly platform: TestPlatform,
    readonly redis: RedisServer | null,
  ) {}

  /** @param backend the queue backend. */
  static async open(env: Record<string, string> = {}, backend: Backend = 'PostgreSQL'): Promise<Stage> {
    const redis = backend === 'Redis' ? await RedisServer.start() : null;
    return new Stage(await startPlatform({ env: { ...env, ...(redis && { REDIS_URL: redis.url }) } }), redis);
  }

  /** A worker app controlled by the test, without background work. @param databaseUrl its database connection */
  async idleWorker(databaseUrl = this.platform.database.systemUrl): Promise<INestApplicationContext> {
    const { settings, masterKeys } = this.platform.database;
    const { clock } = this.platform;
    const options = { settings, masterKeys, databaseUrl, name: 'platform-worker', entities: ENTITIES, clock };
    const worker = await createWorker(options, pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }));
    this.workers.push(worker);
    return worker;
  }

  /** A running worker app. */
  async worker(): Promise<INestApplicationContext> {
    const worker = await this.idleWorker();
    await startWork(worker);
    return worker;
  }

  async receiver(): Promise<Receiver> {
    const receiver = await Receiver.start();
    this.receivers.push(receiver);
    return receiver;
  }

  /** Creates an endpoint of the tenant. */
  async endpoint(tenant: TestTenant, url: string, more: Record<string, unknown> = {}): Promise<TestEndpoint> {
    const body = { url, eventTypes: ['sales.deal.*'], ...more };
    const answer = await tenant.api.post<{ id: string; secret: string }>('/api/webhooks/endpoints', body);
    if (answer.status !== 201) throw new Error(answer.text);
    const { id, secret } = answer.body;
    return { id, secret, path: `/api/webhooks/endpoints/${id}` };
  }

  /** Creates a deal; returns its id. */
  async deal(tenant: TestTenant, name = 'Acme renewal'): Promise<string> {
    const answer = await tenant.api.post<{ id: string }>('/api/v1/sales/deals', { name, value: 25_000 });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.id;
  }

  /** Rows of the deliveries to an endpoint, oldest event first. */
  deliveries(endpoint: TestEndpoint): Promise<DeliveryRow[]> {
    return this.sql<DeliveryRow>(
      `select d.id, d.event_id, d.event_type, d.attempts, q.due_at, q.leased_until,
         case when q.leased_until > now() then 'in_flight' else d.status end as status
       from data.webhook_deliveries d left join data.webhook_queue q on q.tenant_id = d.tenant_id and q.delivery_id = d.id
       where d.endpoint_id = $1 order by d.sequence`,
      [endpoint.id],
    );
  }

  /** Ids of first attempts to an endpoint in flight without a row yet. */
  async sending(endpoint: TestEndpoint): Promise<string[]> {
    const rows = await this.sql<{ id: string }>(
      `select e->>0 as id from data.webhook_sending s cross join json_array_elements(s.entries) e
       where e->>2 = $1 and not exists (select 1 from data.webhook_deliveries d where d.id = (e->>0)::uuid)`,
      [endpoint.id],
    );
    return rows.map(({ id }) => id);
  }

  /** A lease of a running worker: leases of lost workers are released. */
  leaseToken(): string {
    const worker = this.workers[0];
    if (!worker) throw new Error('No worker is running.');
    return worker.get(WorkerPresence).token();
  }

  /** Waits until the deliveries to an endpoint have these statuses, oldest event first. */
  async statuses(endpoint: TestEndpoint, expected: string[]): Promise<DeliveryRow[]> {
    return until(async () => {
      const rows = await this.deliveries(endpoint);
      return rows.map(({ status }) => status).join() === expected.join() ? rows : null;
    });
  }

  /** Waits for a number of attempts of the first delivery to an endpoint. */
  async attempts(endpoint: TestEndpoint, count: number): Promise<void> {
    await until(async () => (await this.deliveries(endpoint))[0]!.attempts === count);
  }

  /** Skips the time until the next attempt, including Retry-After. */
  async makeDue(endpoint: TestEndpoint): Promise<void> {
    await this.sql(`update data.webhook_lanes set open_until = null, openings = 0 where endpoint_id = $1`, [
      endpoint.id,
    ]);
    const due = `update data.webhook_queue set due_at = now() where endpoint_id = $1 and retry and lease_token is null`;
    await this.sql(due, [endpoint.id]);
  }

  sql<R extends object>(text: string, values: unknown[] = []): Promise<R[]> {
    return asAdmin<R & Record<string, unknown>>(this.platform.database, text, values);
  }

  /** A second transaction that has run these statements and holds their locks until it ends. */
  async transaction(...statements: readonly { text: string; values?: readonly unknown[] }[]) {
    const client = new pg.Client({ connectionString: this.platform.database.adminUrl });
    await client.connect();
    await client.query('begin');
    for (const { text, values = [] } of statements) await client.query(text, [...values]);
    return {
      client,
      isWaitedFor: () => until(async () => (await this.sql('select 1 from pg_locks where not granted')).length > 0),
      end: async () => {
        await client.query('commit');
        await client.end();
      },
    };
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.close()));
  }

  /** Validates all events emitted here, including by workers. @throws Error naming those that violate their schema. */
  async close(): Promise<void> {
    await this.stopWorkers();
    const faults = await eventFaults(this.platform).finally(() => this.end());
    if (faults.length > 0) throw new Error(`Events do not match their published schemas:\n${faults.join('\n')}`);
  }

  private async end(): Promise<void> {
    await this.platform.close();
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
    await this.redis?.dispose();
  }
}
