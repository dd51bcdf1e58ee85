import type { DefaultJobOptions, Job } from 'bullmq';

/** Adds jobs. Part of BullMQ's `Queue`, the same for every store. */
export interface OpenQueue {
  addBulk(
    jobs: { name: string; data: unknown; opts?: { jobId?: string; delay?: number; priority?: number } }[],
  ): Promise<unknown>;
  getJobCounts(...types: ('waiting' | 'active' | 'delayed')[]): Promise<Record<string, number>>;
  close(): Promise<void>;
  /** Drops connections that do not respond. */
  abandon(): void;
}

/** Takes jobs. Part of BullMQ's `Worker`, the same for every store. */
export interface OpenWorker {
  /** Takes jobs until the worker is closed. */
  run(): Promise<void>;
  /** Takes no more jobs and waits for those it has. */
  pause(): Promise<void>;
  /** Takes no more jobs and waits for those it has; with `force` it leaves them to be found as stalled. */
  close(force?: boolean): Promise<void>;
}

/** What happens to one job; `signal` is aborted when the process cannot wait for it any longer. */
export type RunJob = (job: Job<unknown, void>) => Promise<void>;

/** How a worker takes jobs. */
export interface WorkerTuning {
  /** Jobs that it has at a time. */
  concurrency: number;
  /** For how long a job stays with a worker that shows no sign of life. Renewed at half that time. */
  lockMs: number;
  /** How often stalled jobs are searched for. */
  stalledCheckMs: number;
}

/** Reports what went wrong in the background. */
export type ReportError = (queue: string, error: Error) => void;

/** Where the jobs are kept. Queues and workers that it opens are ready and never emit an unhandled `error`. */
export interface QueueStore {
  /** @throws Error when the store cannot be reached */
  openQueue(name: string, report: ReportError): Promise<OpenQueue>;
  /** The worker takes jobs once it is told to `run`. @throws Error when the store cannot be reached */
  openWorker(name: string, run: RunJob, tuning: WorkerTuning, report: ReportError): Promise<OpenWorker>;
  /** Closes what the queues and workers shared; call it last. */
  close(): Promise<void>;
}

/**
 * Jobs are hints: the rows in PostgreSQL decide what is due, how often it is tried and with what result. So a job is
 * tried once and leaves no trace.
 */
export const JOB_OPTIONS: DefaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };

/** Nobody reads the streams of job events; this many are kept because the backends cannot be told to keep none. */
export const EVENTS_KEPT = 256;

/** Seconds that an idle worker waits for a wake-up before it polls, so that a lost wake-up only causes a delay. */
export const LOOK_EVERY_SECONDS = 5;

/** Pause before a worker retries an unreachable store. */
export const RETRY_MS = 1_000;
