import { Injectable } from '@nestjs/common';
import type { ProposedAction } from '../jobs/job.parts.js';
import { AiJobsService } from '../jobs/ai-jobs.service.js';
import { ProposedActions } from '../tools/proposed-actions.js';
import { Interrupted } from './job-end.js';
import { JobQueueRepository } from './job-queue.repository.js';
import type { JobRun } from './job-run.js';

/** Applies the changes of autonomous agents. */
@Injectable()
export class ActionMaker {
  constructor(
    private readonly queue: JobQueueRepository,
    private readonly jobs: AiJobsService,
    private readonly actions: ProposedActions,
  ) {}

  /**
   * Applies a change once: the change and its record are one transaction. Returns the outcome.
   * @throws LeaseLost, Interrupted.
   */
  make({ lease, job: { id: jobId } }: JobRun, action: ProposedAction): Promise<ProposedAction> {
    return this.queue.fenced(lease, async (_transaction, { state, stopReason }) => {
      if (state !== 'running' || stopReason !== null) throw new Interrupted('cancelled');
      const job = await this.jobs.records.readPlainly(jobId);
      const known = job.proposedActions.find(({ id }) => id === action.id);
      if (known) return known;
      const made = await this.actions.apply(job, action);
      await this.jobs.records.amend(jobId, (row) => ({ proposedActions: [...row.proposedActions, made] }));
      return made;
    });
  }
}
