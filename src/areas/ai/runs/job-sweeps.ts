import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { AiJobsService } from '../jobs/ai-jobs.service.js';
import { JobQueueRepository, SWEPT, type SweptJob } from './job-queue.repository.js';

const REASONS: Record<string, string> = {
  paused: 'AI work was paused.',
  agent_paused: 'The agent is not active any more.',
};

/** Ends jobs without a lease: those past their deadline, and those of paused tenants and agents. */
@Injectable()
export class JobSweeps {
  constructor(
    private readonly repository: JobQueueRepository,
    private readonly jobs: AiJobsService,
    private readonly clock: Clock,
  ) {}

  async expire(): Promise<Work> {
    const found = await this.repository.expired(this.clock.now().toISOString());
    return this.each(found, ({ jobId }) => this.jobs.records.follow('expire', jobId));
  }

  async stop(): Promise<Work> {
    const found = await this.repository.stopped();
    return this.each(found, ({ jobId, reason }) =>
      this.jobs.records.follow('cancel', jobId, { reason: REASONS[reason!] }),
    );
  }

  private async each(found: readonly SweptJob[], end: (job: SweptJob) => Promise<unknown>): Promise<Work> {
    for (const job of found)
      await runAsSystem(job.tenant, 'AI jobs', uuidv7(), () => end(job)).catch((error: unknown) => {
        if (!(error instanceof Problem) || error.status >= 500) throw error; // else somebody was quicker
      });
    return found.length === SWEPT ? 'full' : found.length > 0 ? 'some' : 'none';
  }
}
