import type { AiProvider } from '#libs/ai/provider.js';
import type { AiJob } from '../jobs/job.js';
import type { HeldLease } from './lease.js';

/** A job as it runs in this process. */
export interface JobRun {
  lease: HeldLease;
  /** State at the start of the run. */
  job: AiJob;
  provider: AiProvider;
  /** Aborted with an `Interruption`. */
  signal: AbortSignal;
  /** Deadline of the run, by `performance.now()`. */
  endsAtMs: number;
}
