import { Injectable } from '@nestjs/common';
import { storableText } from '#libs/kernel/storable.js';
import { Spending } from '../budgets/spending.js';
import type { AiJob } from '../jobs/job.js';
import type { AiJobAction } from '../jobs/job.lifecycle.js';
import { AiJobsService } from '../jobs/ai-jobs.service.js';
import { CallSettlement } from './call-settlement.js';
import { CallsRepository } from './calls.repository.js';
import { JobEnd } from './job-end.js';
import { JobQueueRepository } from './job-queue.repository.js';
import type { HeldLease } from './lease.js';
import { stepsOf, totalsOf } from './steps.js';

/** How a run ends: an action of the life cycle, and the changed columns. */
export interface Ending {
  action: AiJobAction;
  changes: Partial<Pick<AiJob, 'output' | 'proposedActions' | 'error'>> & { reason?: string };
}

/**
 * Ends jobs after a run. In one transaction, it books the cost of their calls, releases the rest of the reservation,
 * deletes the conversation, changes the state and removes the job from the queue. This also applies to jobs of dead
 * workers. A job that was cancelled meanwhile stays cancelled.
 */
@Injectable()
export class JobCloser {
  constructor(
    private readonly queue: JobQueueRepository,
    private readonly calls: CallsRepository,
    private readonly settlement: CallSettlement,
    private readonly spending: Spending,
    private readonly jobs: AiJobsService,
  ) {}

  /** @throws LeaseLost. */
  async close(lease: HeldLease, ending: Ending): Promise<void> {
    await this.queue.fenced(lease, async (transaction, { state }) => {
      const { jobId } = lease;
      // An open call was aborted, or its worker died.
      for (const call of await this.calls.ofJob(jobId))
        if (call.state === 'sending') await this.settlement.inDoubt(transaction, call, call.fault ?? 'call_in_doubt');
      const calls = await this.calls.ofJob(jobId);
      const job = await this.jobs.records.readPlainly(jobId);
      const totals = { ...totalsOf(calls), steps: stepsOf(calls) };
      if (state === 'closing') await this.jobs.records.amend(jobId, () => totals);
      else {
        const { action, changes } = this.within(job, totals.actualCostMicros, ending);
        await this.jobs.records.follow(action, jobId, { ...changes, ...totals });
      }
      this.calls.wipe(transaction, jobId);
      if (job.reservationId !== null) await this.spending.release(transaction, job.reservationId);
      this.queue.forget(transaction, lease);
    });
  }

  /** A job that has exceeded its cap always ends as over cost. Only a provider can cause this. */
  private within({ costCapMicros }: AiJob, actualCostMicros: number, ending: Ending): Ending {
    if (actualCostMicros <= costCapMicros) return ending;
    const message = 'The provider has charged more than it was allowed to.';
    return endingOf(new JobEnd('cap_reached', 'provider_overrun', message));
  }
}

/** A job that ends without an outcome. */
export function endingOf({ action, code, message }: JobEnd): Ending {
  return { action, changes: { error: { code, message: storableText(message, 1_000) } } };
}
