import type { DefaultJobOptions, Job } from 'bullmq';

/** Adds jobs. Part of BullMQ's `Queue`, the same for every store. */
export interface OpenQueue {
  addBulk(
    jobs: { name: string; data: unknown; opts?: { jobId?: string; delay?: number; priority?: number } }[],
  ): Promise<unknown>;
  getJobCounts(...types: ('waiting' | 'active' | 'delayed')[]): Promise<Record<string, number>>;
  close(): Promise<void>;
  /** Drops connections that no longer respond. */
  abandon(): void;
}

/** Processes jobs. Part of BullMQ's `Worker`, the same for every store. */
export interface OpenWorker {
  /** Processes jobs until the worker is closed. */
  run(): Promise<void>;
  /** Stops taking jobs and waits for running ones. */
  pause(): Promise<void>;
  /** Stops taking jobs and waits for running ones. With `force`, it abandons them, to be found as stalled. */
  close(force?: boolean): Promise<void>;
}

/** Runs one job. */
export type RunJob = (job: Job<unknown, void>) => Promise<void>;

/** How a worker takes jobs. */
export interface WorkerTuning {
  /** Maximum number of concurrent jobs. */
  concurrency: number;
  /** How long a job is locked by a worker that shows no sign of life. Renewed after half that time. */
  lockMs: number;
  /** How often stalled jobs are searched for. */
  stalledCheckMs: number;
}

/** Reports errors in the background. */
export type ReportError = (queue: string, error: Error) => void;

/** Stores the jobs. The queues and workers that it opens are ready and never emit an unhandled `error`. */
export interface QueueStore {
  /** @throws Error if the store cannot be reached */
  openQueue(name: string, report: ReportError): Promise<OpenQueue>;
  /** The worker processes jobs once `run` is called. @throws Error if the store cannot be reached */
  openWorker(name: string, run: RunJob, tuning: WorkerTuning, report: ReportError): Promise<OpenWorker>;
  /** Closes what the queues and workers share; call it last. */
  close(): Promise<void>;
}

/**
 * Jobs are hints: the rows in PostgreSQL determine what is due, how often it is tried and with what result. So a job
 * is tried once and leaves no trace.
 */
export const JOB_OPTIONS: DefaultJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };

/** Nobody reads the streams of job events. The backends keep at least some, so the number is small. */
export const EVENTS_KEPT = 256;

/** Seconds that an idle worker waits for a wake-up before it polls, so that a lost wake-up only causes a delay. */
export const LOOK_EVERY_SECONDS = 5;

/** Pause before a worker retries an unreachable store. */
export const RETRY_MS = 1_000;
