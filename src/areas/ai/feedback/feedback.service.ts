import { Injectable, type OnModuleInit } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personOf } from '#libs/auth/principal.js';
import { Database } from '#libs/database/database.js';
import { breaksConstraint } from '#libs/database/failures.js';
import type { Transaction } from '#libs/database/transaction.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { Commits } from '#libs/resource/commits.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { AiJobsService } from '../jobs/ai-jobs.service.js';
import {
  FEEDBACK_EXAMPLE,
  FEEDBACK_TYPE,
  FeedbackFacts,
  type GiveFeedback,
  type FeedbackView,
} from './feedback.dto.js';
import { FeedbackRepository } from './feedback.repository.js';

/** What people say about the results of jobs: one word of each about each, which they may change. */
@Injectable()
export class FeedbackService implements OnModuleInit {
  constructor(
    private readonly jobs: AiJobsService,
    private readonly repository: FeedbackRepository,
    private readonly database: Database,
    private readonly commits: Commits,
    private readonly events: EventCatalogue,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.events.add({
      type: `${FEEDBACK_TYPE}.given`,
      version: 1,
      description: 'Somebody rated the result of an AI job, or changed what they had said.',
      data: inlineSchemaOf(FeedbackFacts),
      example: FEEDBACK_EXAMPLE,
      subjectType: FEEDBACK_TYPE,
      exampleUrl: urlOf(FEEDBACK_EXAMPLE),
    });
  }

  /** Keeps what the caller says about a job, in the place of what they said before. @throws Problem 404. */
  async give(jobId: string, input: GiveFeedback): Promise<FeedbackView> {
    const job = await this.jobs.records.read(jobId);
    const give = () => this.database.transaction((transaction) => this.giveIn(transaction, job, input));
    try {
      return await give();
    } catch (error) {
      // The same person was quicker with another request: now there is something to replace.
      if (!breaksConstraint(error, 'ai_feedback_person_key')) throw error;
      return give();
    }
  }

  private async giveIn(
    transaction: Transaction,
    job: { id: string; name: string },
    { rating, comment = null, correctedOutput = null }: GiveFeedback,
  ): Promise<FeedbackView> {
    const person = personOf(currentPrincipal());
    const before = await this.repository.lock(transaction, job.id, person);
    const at = this.clock.now().toISOString();
    const after: FeedbackView = {
      id: before?.id ?? uuidv7(),
      object: FEEDBACK_TYPE,
      jobId: job.id,
      version: (before?.version ?? 0) + 1,
      rating,
      comment,
      correctedOutput,
      createdAt: before?.createdAt ?? at,
      createdBy: before?.createdBy ?? currentScope().actor,
      updatedAt: at,
    };
    const { id, version } = after;
    this.commits.add(transaction, {
      save: this.repository.save(after, person),
      event: `${FEEDBACK_TYPE}.given`,
      subject: { type: FEEDBACK_TYPE, id, reference: null, version, url: urlOf(after), name: job.name },
      about: job.id,
      before: before && factsOf(before),
      after: factsOf(after),
      at,
      riskLevel: 'low',
      concealed: concealed(before, after),
    });
    return after;
  }
}

/** Path of the job that somebody has said something about. */
function urlOf({ jobId }: Pick<FeedbackView, 'jobId'>): string {
  return `/api/ai/jobs/${jobId}`;
}

/** Fields that changed and whose texts the audit log may not hold. */
function concealed(before: FeedbackView | null, after: FeedbackView): string[] {
  return (['comment', 'correctedOutput'] as const).filter((field) => (before?.[field] ?? null) !== after[field]);
}

function factsOf({ comment: _comment, correctedOutput: _output, ...facts }: FeedbackView): FeedbackFacts {
  return facts;
}
