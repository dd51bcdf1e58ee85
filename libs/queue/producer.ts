import type { OpenQueue, QueueStore, ReportError } from './queue-store.js';

/** A job to put in. */
export interface JobToAdd<T> {
  /** JSON. Ids and little else: the rows hold the truth. */
  data: T;
  /** While a job with this id waits or runs, another one with it is dropped. Not a number, no colon. Made up if absent. */
  id?: string;
  /** Not before this many milliseconds from now. */
  delayMs?: number;
  /** Lower goes first, 1 to 2,000,000; jobs without one go before all others. */
  priority?: number;
}

/** Jobs put into the store in one statement. */
const BATCH = 1_000;

/** Longest wait for the store to take them. */
const ANSWER_TIMEOUT_MS = 10_000;

/** The end of a queue that jobs are put in at. Connects at the latest on first use, and again after a failure. */
export class Producer<T> {
  private opening: Promise<OpenQueue> | null = null;

  constructor(
    private readonly store: QueueStore,
    private readonly name: string,
    private readonly report: ReportError,
  ) {}

  /** Puts one job in. @throws Error when the store cannot be reached or does not answer within ten seconds */
  add(job: JobToAdd<T>): Promise<void> {
    return this.addAll([job]);
  }

  /** Puts jobs in, in order. @throws Error as for {@link add}; some may be in then */
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

  /** A queue that does not answer in time is given up: the next call opens a new one, on new connections. */
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
