import { Queue, Worker } from 'bullmq';
import { openRedis, type RedisClient } from '#libs/config/redis.js';
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
  private producing: Promise<RedisClient> | null = null;
  private consuming: Promise<RedisClient> | null = null;

  constructor(private readonly url: string) {}

  async openQueue(name: string, report: ReportError): Promise<OpenQueue> {
    this.producing ??= openRedis(this.url, { name: 'queue', failFast: true }).catch((error: unknown) => {
      this.producing = null;
      throw error;
    });
    const queue = new Queue<unknown, void>(name, {
      connection: await this.producing,
      prefix: prefixOf(name),
      defaultJobOptions: JOB_OPTIONS,
      streams: { events: { maxLen: EVENTS_KEPT } },
    });
    queue.on('error', (error) => report(name, error));
    return queue;
  }

  async openWorker(name: string, run: RunJob, tuning: WorkerTuning, report: ReportError): Promise<OpenWorker> {
    this.consuming ??= openRedis(this.url, { name: 'queue-worker', failFast: false }).catch((error: unknown) => {
      this.consuming = null;
      throw error;
    });
    const worker = new Worker<unknown, void>(name, (job) => run(job), {
      connection: await this.consuming,
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
    for (const opening of [this.producing, this.consuming]) (await opening?.catch(() => null))?.disconnect();
  }
}

/** Braces put all keys of one queue into one slot of a cluster, where its scripts need them, and queues into several. */
function prefixOf(name: string): string {
  return `platform:{${name}}`;
}
