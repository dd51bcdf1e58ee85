import type { INestApplicationContext } from '@nestjs/common';
import { pino } from 'pino';
import { ENTITIES } from '#src/areas/entities.js';
import { createWorker, startWork } from '#src/worker/app.js';
import { asAdmin } from '../harness/database.js';
import { startPlatform, type TestPlatform, type TestTenant } from '../harness/platform.js';
import { Receiver } from './receiver.js';
import { until } from '#libs/testing/until.js';

/** An endpoint as its creation showed it. */
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
}

/** The REST app with a database of its own, workers on demand, and receivers. */
export class Stage {
  private readonly workers: INestApplicationContext[] = [];
  private readonly receivers: Receiver[] = [];

  private constructor(readonly platform: TestPlatform) {}

  static async open(env: Record<string, string> = {}): Promise<Stage> {
    return new Stage(await startPlatform({ env }));
  }

  /** A worker app that does what the test tells it and nothing by itself. */
  async idleWorker(): Promise<INestApplicationContext> {
    const { settings, masterKey, systemUrl } = this.platform.database;
    const { clock } = this.platform;
    const options = { settings, masterKey, databaseUrl: systemUrl, name: 'platform-worker', entities: ENTITIES, clock };
    const worker = await createWorker(options, pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }));
    this.workers.push(worker);
    return worker;
  }

  /** A worker app at work. */
  async worker(): Promise<INestApplicationContext> {
    const worker = await this.idleWorker();
    startWork(worker);
    return worker;
  }

  async receiver(): Promise<Receiver> {
    const receiver = await Receiver.start();
    this.receivers.push(receiver);
    return receiver;
  }

  /** A new endpoint of the tenant. */
  async endpoint(tenant: TestTenant, url: string, more: Record<string, unknown> = {}): Promise<TestEndpoint> {
    const body = { url, eventTypes: ['sales.deal.*'], ...more };
    const answer = await tenant.api.post<{ id: string; secret: string }>('/api/webhooks/endpoints', body);
    if (answer.status !== 201) throw new Error(answer.text);
    const { id, secret } = answer.body;
    return { id, secret, path: `/api/webhooks/endpoints/${id}` };
  }

  /** A new deal; answers its id. */
  async deal(tenant: TestTenant, name = 'Acme renewal'): Promise<string> {
    const answer = await tenant.api.post<{ id: string }>('/api/v1/sales/deals', { name, value: 25_000 });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.id;
  }

  /** Deliveries to an endpoint as they stand in the table, the oldest event first. */
  deliveries(endpoint: TestEndpoint): Promise<DeliveryRow[]> {
    return this.sql<DeliveryRow>(
      `select d.* from data.webhook_deliveries d join data.events e on e.tenant_id = d.tenant_id and e.id = d.event_id
       where d.endpoint_id = $1 order by e.position`,
      [endpoint.id],
    );
  }

  /** Waits until the deliveries to an endpoint have these statuses, the oldest event first. */
  async statuses(endpoint: TestEndpoint, expected: string[]): Promise<DeliveryRow[]> {
    return until(async () => {
      const rows = await this.deliveries(endpoint);
      return rows.map(({ status }) => status).join() === expected.join() ? rows : null;
    });
  }

  /** Waits until the first delivery to an endpoint has had so many attempts. */
  async attempts(endpoint: TestEndpoint, count: number): Promise<void> {
    await until(async () => (await this.deliveries(endpoint))[0]!.attempts === count);
  }

  /** Lets the time until the next attempt pass. */
  async makeDue(endpoint: TestEndpoint): Promise<void> {
    const due = `update data.webhook_deliveries set due_at = now() where endpoint_id = $1 and status = 'retrying'`;
    await this.sql(due, [endpoint.id]);
  }

  sql<R extends object>(text: string, values: unknown[] = []): Promise<R[]> {
    return asAdmin<R & Record<string, unknown>>(this.platform.database, text, values);
  }

  async stopWorkers(): Promise<void> {
    await Promise.all(this.workers.splice(0).map((worker) => worker.close()));
  }

  async close(): Promise<void> {
    await this.stopWorkers();
    await this.platform.close();
    await Promise.all(this.receivers.map((receiver) => receiver.close()));
  }
}
