import { Queue, Worker } from 'bullmq';
import { openRedis, type RedisBehaviour, type RedisClient } from '#libs/config/redis.js';
import {
  EVENTS_KEPT,
  JOB_OPTIONS,
  LOOK_EVERY_SECONDS,
  type OpenQueue,
  type OpenWorker,
  type QueueStore,
  type ReportError,
  RETRY_MS,
  type RunJob,
  type WorkerTuning,
} from './queue-store.js';

/** Queues in Redis or Valkey, one server or a cluster. */
export class RedisQueueStore implements QueueStore {
  private readonly clients = new Map<string, Promise<RedisClient>>();
  private closed = false;

  constructor(private readonly url: string) {}

  async openQueue(name: string, report: ReportError): Promise<OpenQueue> {
    const connection = await this.client({ name: 'queue', failFast: true });
    const queue = new Queue<unknown, void>(name, {
      connection,
      prefix: prefixOf(name),
      defaultJobOptions: JOB_OPTIONS,
      streams: { events: { maxLen: EVENTS_KEPT } },
    });
    queue.on('error', (error) => report(name, error));
    return {
      addBulk: (jobs) => queue.addBulk(jobs),
      getJobCounts: (...types) => queue.getJobCounts(...types),
      close: () => queue.close(),
      abandon: () => {
        void queue.close().catch((error: unknown) => report(name, error as Error));
        connection.disconnect(true);
      },
    };
  }

  async openWorker(name: string, run: RunJob, tuning: WorkerTuning, report: ReportError): Promise<OpenWorker> {
    const worker = new Worker<unknown, void>(name, (job) => run(job), {
      connection: await this.client({ name: 'queue-worker', failFast: false }),
      prefix: prefixOf(name),
      autorun: false,
      concurrency: tuning.concurrency,
      lockDuration: tuning.lockMs,
      stalledInterval: tuning.stalledCheckMs,
      drainDelay: LOOK_EVERY_SECONDS,
      runRetryDelay: RETRY_MS,
    });
    worker.on('error', (error) => report(name, error));
    worker.on('failed', (_job, error) => report(name, error));
    return worker;
  }

  async close(): Promise<void> {
    this.closed = true;
    const clients = [...this.clients.values()];
    this.clients.clear();
    for (const client of clients) (await client.catch(() => null))?.disconnect();
  }

  /** One connection for all producers, which must not wait for an unavailable server, and another for all workers. */
  private client(behaviour: RedisBehaviour): Promise<RedisClient> {
    if (this.closed) throw new Error('The queues are closed.');
    let client = this.clients.get(behaviour.name);
    if (!client) {
      client = openRedis(this.url, behaviour);
      client.catch(() => this.clients.delete(behaviour.name));
      this.clients.set(behaviour.name, client);
    }
    return client;
  }
}

/**
 * Braces put all keys of one queue into one cluster slot, as its scripts require, and spread the queues over several.
 */
function prefixOf(name: string): string {
  return `platform:{${name}}`;
}
