import type { AiProvider } from '#libs/ai/provider.js';
import type { AiJob } from '../jobs/job.js';
import type { HeldLease } from './lease.js';

/** A job as it runs in this process. */
export interface JobRun {
  lease: HeldLease;
  /** As it stood when the run began. */
  job: AiJob;
  provider: AiProvider;
  /** Aborted with an `Interruption`. */
  signal: AbortSignal;
  /** When it has to be over, by `performance.now()`. */
  endsAtMs: number;
}
