import { type OpenWorker, type QueueStore, type ReportError, RETRY_MS, type WorkerTuning } from './queue-store.js';
import { within } from './within.js';

/** A job as a processor sees it. */
export interface QueueJob<T> {
  id: string;
  data: T;
}

/**
 * Processes a job. A job may run twice; the second run must change nothing. An error ends the job and is reported;
 * there is no retry. `signal` is aborted when the process stops and cannot wait any longer.
 */
export type Processor<T> = (job: QueueJob<T>, signal: AbortSignal) => Promise<void>;

/** Time that processors get after their signal is aborted. */
const LAST_WORDS_MS = 1_000;

/** Processes the jobs of one queue for the lifetime of the process. Reopens its worker if that fails or ends. */
export class Consumer<T> {
  private readonly aborting = new AbortController();
  private worker: OpenWorker | null = null;
  private stopping: Promise<void> | null = null;
  private wake: () => void = () => undefined;
  private open: () => void = () => undefined;
  /** Resolves when the store is reached for the first time: from then on, jobs are processed. */
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
  private readonly living: Promise<void>;

  constructor(
    private readonly store: QueueStore,
    private readonly name: string,
    private readonly processor: Processor<T>,
    private readonly tuning: WorkerTuning,
    private readonly report: ReportError,
  ) {
    this.living = this.live();
  }

  /**
   * Stops taking jobs and waits for running ones. After `drainMs` their signals are aborted, and a second later they
   * are abandoned: another worker finds them as stalled.
   */
  stop(drainMs: number): Promise<void> {
    return (this.stopping ??= this.drain(drainMs));
  }

  private async live(): Promise<void> {
    while (!this.stopping) {
      try {
        const worker = await this.store.openWorker(this.name, (job) => this.process(job), this.tuning, this.report);
        this.worker = worker;
        if (this.stopping) return void (await worker.close(true));
        this.open();
        await worker.run();
      } catch (error) {
        this.report(this.name, error as Error);
      }
      if (this.stopping) return;
      await this.worker?.close(true).catch((error: unknown) => this.report(this.name, error as Error));
      this.worker = null;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, RETRY_MS);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  private process(job: { id?: string | undefined; data: unknown }): Promise<void> {
    return this.processor({ id: job.id!, data: job.data as T }, this.aborting.signal);
  }

  private async drain(drainMs: number): Promise<void> {
    this.wake();
    const worker = this.worker;
    if (!worker) return void (await within(LAST_WORDS_MS, this.living));
    // Pausing resolves when the running jobs have ended. A worker that is already closing could no longer be forced.
    const idle = worker.pause();
    let idleNow = await within(drainMs, idle);
    if (!idleNow) {
      this.aborting.abort();
      idleNow = await within(LAST_WORDS_MS, idle);
    }
    await within(LAST_WORDS_MS, worker.close(!idleNow));
  }
}
