import { setTimeout as pause } from 'node:timers/promises';
import {
  type BackendFactory,
  createPostgresBackend,
  type PostgresConnectionOptions,
  type PostgresQueueBackend,
  withBackend,
} from 'bullmq';
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

const PRODUCER_CONNECTIONS = 1;
/**
 * One connection is enough, because a job contains many deliveries or seconds of work. PostgreSQL plans all functions
 * of the queue again for each connection (ADR 3), which takes 55 ms of CPU time. Another connection listens for
 * wake-ups.
 */
const WORKER_CONNECTIONS = 1;

/**
 * BullMQ's PostgreSQL backend, hardened against unavailable servers. After an error, the backend itself would listen
 * for up to an hour without polling (and lose wake-ups sent in the meantime), would request the next job without any
 * pause, and would wait five seconds in the search for stalled jobs, even at shutdown.
 */
const steadyBackend: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, options, kind) => {
  const backend = createPostgresBackend(name, options, kind);
  Object.defineProperty(backend, 'maximumBlockTimeout', { value: LOOK_EVERY_SECONDS });
  const moveToActive = backend.moveToActive.bind(backend);
  backend.moveToActive = (token, workerName) =>
    moveToActive(token, workerName).catch(async (error: unknown) => {
      if (!backend.closing) await pause(RETRY_MS);
      throw error;
    });
  const moveStalledJobsToWait = backend.moveStalledJobsToWait.bind(backend);
  backend.moveStalledJobsToWait = () =>
    moveStalledJobsToWait().catch((error: unknown) => {
      backend.emit('error', error);
      return [];
    });
  return backend;
};

const { Queue, Worker } = withBackend(steadyBackend);

/**
 * Up to this many jobs are faster to add one by one: on PostgreSQL a bulk insert creates temporary tables, which takes
 * 3 to 25 ms each time.
 */
const SMALL_BATCH = 16;

type NewJobs = Parameters<OpenQueue['addBulk']>[0];

async function addInOrder(
  queue: {
    addBulk(jobs: NewJobs): Promise<unknown>;
    add(...job: [string, unknown, NewJobs[0]['opts']]): Promise<unknown>;
  },
  jobs: NewJobs,
): Promise<void> {
  if (jobs.length > SMALL_BATCH) {
    await queue.addBulk(jobs);
    return;
  }
  for (const { name, data, opts } of jobs) await queue.add(name, data, opts);
}

/** Queues in a PostgreSQL schema prepared by {@link migrateQueueSchema}. */
export class PostgresQueueStore implements QueueStore {
  /**
   * @param databaseUrl connection string of a role with access to the schema
   * @param schema the schema's name
   */
  constructor(
    private readonly databaseUrl: string,
    private readonly schema: string,
  ) {}

  async openQueue(name: string, report: ReportError): Promise<OpenQueue> {
    const queue = new Queue<unknown, void>(name, {
      connection: this.connection(PRODUCER_CONNECTIONS),
      defaultJobOptions: JOB_OPTIONS,
      streams: { events: { maxLen: EVENTS_KEPT } },
    });
    queue.on('error', (error) => report(name, error));
    await ready(queue);
    return {
      addBulk: (jobs) => addInOrder(queue, jobs),
      getJobCounts: (...types) => queue.getJobCounts(...types),
      close: () => queue.close(),
      abandon: () => void queue.close().catch((error: unknown) => report(name, error as Error)),
    };
  }

  async openWorker(name: string, run: RunJob, tuning: WorkerTuning, report: ReportError): Promise<OpenWorker> {
    const worker = new Worker<unknown, void>(name, (job) => run(job), {
      connection: this.connection(WORKER_CONNECTIONS),
      autorun: false,
      concurrency: tuning.concurrency,
      lockDuration: tuning.lockMs,
      stalledInterval: tuning.stalledCheckMs,
      drainDelay: LOOK_EVERY_SECONDS,
      runRetryDelay: RETRY_MS,
    });
    worker.on('error', (error) => report(name, error));
    worker.on('failed', (_job, error) => report(name, error));
    return ready(worker);
  }

  async close(): Promise<void> {}

  private connection(max: number): PostgresConnectionOptions {
    const url = new URL(this.databaseUrl);
    // In pg, `options` of the URL override options passed separately, and the backend needs its own to find the
    // schema.
    const own = url.searchParams.get('options');
    url.searchParams.delete('options');
    // A job lost in a server crash is only a lost hint, so commits do not wait for the disk.
    const options = [own, '-c synchronous_commit=off'].filter(Boolean).join(' ');
    return {
      connectionString: url.href,
      schema: this.schema,
      migrate: false,
      max,
      options,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 20_000, // the pool then replaces a connection that died silently
      idleTimeoutMillis: 60_000,
    };
  }
}

async function ready<T extends { waitUntilReady(): Promise<unknown>; close(): Promise<void> }>(opened: T): Promise<T> {
  try {
    await opened.waitUntilReady();
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}
