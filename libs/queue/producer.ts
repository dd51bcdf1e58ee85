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

/** The end of a queue that jobs are put in at. Connects on first use and again after a failure. */
export class Producer<T> {
  private opening: Promise<OpenQueue> | null = null;

  constructor(
    private readonly store: QueueStore,
    private readonly name: string,
    private readonly report: ReportError,
  ) {}

  /** Puts one job in. @throws Error when the store cannot be reached, within a few seconds */
  add(job: JobToAdd<T>): Promise<void> {
    return this.addAll([job]);
  }

  /** Puts jobs in, in order. @throws Error when the store cannot be reached; some may be in then */
  async addAll(jobs: readonly JobToAdd<T>[]): Promise<void> {
    const queue = await this.open();
    for (let first = 0; first < jobs.length; first += BATCH)
      await queue.addBulk(
        jobs.slice(first, first + BATCH).map(({ data, id, delayMs, priority }) => ({
          name: this.name,
          data,
          opts: {
            ...(id === undefined ? {} : { jobId: id }),
            ...(delayMs === undefined ? {} : { delay: delayMs }),
            ...(priority === undefined ? {} : { priority }),
          },
        })),
      );
  }

  /** How many jobs there are, for metrics. */
  async counts(): Promise<{ waiting: number; active: number; delayed: number }> {
    const counts = await (await this.open()).getJobCounts('waiting', 'active', 'delayed');
    return { waiting: counts['waiting'] ?? 0, active: counts['active'] ?? 0, delayed: counts['delayed'] ?? 0 };
  }

  async close(): Promise<void> {
    const queue = await this.opening?.catch(() => null);
    await queue?.close();
  }

  private open(): Promise<OpenQueue> {
    return (this.opening ??= this.store.openQueue(this.name, this.report).catch((error: unknown) => {
      this.opening = null;
      throw error;
    }));
  }
}
