import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { AiJobsService } from '../jobs/ai-jobs.service.js';
import { type Feedback, feedbacks, type GivenFeedback, type ShownFeedback } from './feedback.js';
import { FeedbackRepository } from './feedback.repository.js';

/** Feedback about the results of jobs: one rating per person and job, which can be changed. */
@Injectable()
export class FeedbackService {
  private readonly objects: GovernedObjects<Feedback>;

  constructor(
    kit: ResourceKit,
    private readonly jobs: AiJobsService,
    private readonly repository: FeedbackRepository,
  ) {
    this.objects = new GovernedObjects(feedbacks, kit, {}, repository);
  }

  /** Stores the caller's feedback about a job, replacing earlier feedback. @throws Problem 404. */
  async give(jobId: string, input: GivenFeedback): Promise<ShownFeedback> {
    const job = await this.jobs.records.read(jobId);
    const give = () => this.objects.unit((transaction) => this.giveIn(transaction, job, input));
    try {
      return await give();
    } catch (error) {
      // A concurrent request of the same person has stored feedback, which is now replaced.
      if (!(error instanceof Problem) || error.code !== 'duplicate') throw error;
      return give();
    }
  }

  private async giveIn(
    transaction: Transaction,
    job: { id: string; name: string },
    { rating, comment = null, correctedOutput = null }: GivenFeedback,
  ): Promise<ShownFeedback> {
    const person = personOf(currentPrincipal());
    const before = await this.repository.lockOf(transaction, job.id, person);
    const own = { rating, comment, correctedOutput };
    const notes = {
      about: job.id,
      subject: { url: `/api/ai/jobs/${job.id}`, name: job.name },
      concealed: (['comment', 'correctedOutput'] as const).filter((field) => (before?.[field] ?? null) !== own[field]),
    };
    const { actor: createdBy } = currentScope();
    const after = before // given again, it is another version even if it says the same
      ? this.objects.change(transaction, before, { ...own, updatedAt: this.objects.now() }, 'given', notes)
      : this.objects.add(transaction, { ...own, jobId: job.id, person, createdBy }, 'given', notes);
    return this.objects.view(after);
  }
}
