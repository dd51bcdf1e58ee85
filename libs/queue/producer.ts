import type { OpenQueue, QueueStore, ReportError } from './queue-store.js';

/** A job to add. */
export interface JobToAdd<T> {
  /** JSON. Ids and little else: the rows are the source of truth. */
  data: T;
  /**
   * While a job with this id waits or runs, another one with it is dropped. Not a number, no colon. Generated if
   * absent.
   */
  id?: string;
  /** Delay in milliseconds. */
  delayMs?: number;
  /** Lower goes first, 1 to 2,000,000; jobs without one go before all others. */
  priority?: number;
}

/** Jobs put into the store in one statement. */
const BATCH = 1_000;

/** Longest wait for the store to take them. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Adds jobs to a queue. Connects at the latest on first use, and again after a failure. */
export class Producer<T> {
  private opening: Promise<OpenQueue> | null = null;

  constructor(
    private readonly store: QueueStore,
    private readonly name: string,
    private readonly report: ReportError,
  ) {}

  /** Adds one job. @throws Error if the store cannot be reached or does not respond within ten seconds */
  add(job: JobToAdd<T>): Promise<void> {
    return this.addAll([job]);
  }

  /** Adds jobs in order. @throws Error as for {@link add}; some may have been added then */
  async addAll(jobs: readonly JobToAdd<T>[]): Promise<void> {
    for (let first = 0; first < jobs.length; first += BATCH) {
      const batch = jobs.slice(first, first + BATCH).map(({ data, id, delayMs, priority }) => ({
        name: this.name,
        data,
        opts: {
          ...(id === undefined ? {} : { jobId: id }),
          ...(delayMs === undefined ? {} : { delay: delayMs }),
          ...(priority === undefined ? {} : { priority }),
        },
      }));
      await this.ask((queue) => queue.addBulk(batch));
    }
  }

  /** How many jobs there are, for metrics. */
  async counts(): Promise<{ waiting: number; active: number; delayed: number }> {
    const counts = await this.ask((queue) => queue.getJobCounts('waiting', 'active', 'delayed'));
    return { waiting: counts['waiting'] ?? 0, active: counts['active'] ?? 0, delayed: counts['delayed'] ?? 0 };
  }

  /** Connects, so that the first job need not wait for it. @throws Error when the store cannot be reached */
  async connect(): Promise<void> {
    await this.open();
  }

  async close(): Promise<void> {
    const queue = await this.opening?.catch(() => null);
    await queue?.close();
  }

  /** A queue that does not respond in time is dropped: the next call opens a new one, on new connections. */
  private async ask<R>(question: (queue: OpenQueue) => Promise<R>): Promise<R> {
    const opening = this.open();
    const queue = await opening;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        if (this.opening === opening) {
          this.opening = null;
          queue.abandon();
        }
        reject(new Error(`Queue ${this.name} did not answer within ${ANSWER_TIMEOUT_MS / 1_000} s.`));
      }, ANSWER_TIMEOUT_MS);
    });
    try {
      return await Promise.race([question(queue), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private open(): Promise<OpenQueue> {
    return (this.opening ??= this.store.openQueue(this.name, this.report).catch((error: unknown) => {
      this.opening = null;
      throw error;
    }));
  }
}
