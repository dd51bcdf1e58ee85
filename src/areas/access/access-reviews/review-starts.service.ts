import { Injectable } from '@nestjs/common';
import { digestOf } from '#libs/kernel/canonical.js';
import type { Transaction } from '#libs/database/transaction.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import type { AccessReview } from './access-review.js';
import type { AccessReviewItem } from './access-review-item.js';
import { type Candidate, Populations } from './population.js';
import { ReviewLetters } from './review-letters.js';
import { ReviewRecords } from './review-records.js';
import { Reviewers } from './reviewers.js';

/** The terms of a review, as its creator sets them. */
export type ReviewTerms = Pick<AccessReview, 'name' | 'scope' | 'reviewers' | 'dueAt' | 'onNoDecision' | 'recurrence'>;

/** Creates and starts access reviews, at the request of people and by their recurrence. */
@Injectable()
export class ReviewStarts {
  constructor(
    private readonly records: ReviewRecords,
    private readonly populations: Populations,
    private readonly reviewers: Reviewers,
    private readonly letters: ReviewLetters,
  ) {}

  /** Adds a draft. */
  create(transaction: Transaction, terms: ReviewTerms): AccessReview {
    const unstarted = {
      startedAt: null,
      startError: null,
      overdueAt: null,
      decidedAt: null,
      completedAt: null,
      remindedAt: null,
    };
    return this.records.objects.add(transaction, {
      ...terms,
      ...unstarted,
      status: 'draft',
      itemCount: 0,
      populationHash: null,
      createdBy: currentScope().actor,
    });
  }

  /**
   * Fixes the population of a draft from live data, assigns the reviewers and tells them.
   * @throws Problem 400 if the due date has passed, 409 `nothing_to_review`, `no_reviewer`, `limit_reached`.
   */
  async start(transaction: Transaction, draft: AccessReview, dueAt = draft.dueAt): Promise<AccessReview> {
    const at = this.records.objects.now();
    if (dueAt <= at)
      throw Problem.validation([
        { pointer: '/dueAt', code: 'out_of_range', detail: 'The due date has passed; send a later one.' },
      ]);
    const found = await this.populations.read(transaction, draft.scope, at);
    if (found.length === 0)
      throw new Problem('nothing_to_review', 'Nothing matches the scope; cancel the review and create a wider one.');
    const reviewerIds = await this.reviewers.assign(transaction, draft.reviewers, found);
    const changes = {
      status: 'in_progress',
      dueAt,
      startedAt: at,
      startError: null,
      itemCount: found.length,
      populationHash: hashOf(found),
    } as const;
    const review = this.records.objects.change(transaction, draft, changes, 'started');
    transaction.write(
      this.records.items.insertAll(found.map((each, i) => itemOf(review, each, reviewerIds[i]!, at))), // prettier-ignore
    );
    this.records.schedule(transaction, review);
    await this.letters.remind(transaction, review);
    return review;
  }
}

/** SHA-256 of the canonical form of a population. */
function hashOf(population: readonly Candidate[]): string {
  return digestOf(population.map(({ subject, snapshot, flags }) => ({ subject, snapshot, flags })));
}

function itemOf(
  { id: reviewId }: AccessReview,
  { subject, snapshot, flags, memberId }: Candidate,
  reviewerId: string,
  at: string,
): AccessReviewItem {
  return {
    tenantId: currentTenant().id,
    id: uuidv7(),
    reviewId,
    subjectType: subject.type,
    subjectId: subject.id,
    subjectName: subject.name,
    memberId,
    snapshot,
    flags,
    reviewerId,
    decision: 'pending',
    reason: null,
    newRoleIds: null,
    decidedBy: null,
    decidedAt: null,
    history: [],
    appliedAt: null,
    applyError: null,
    createdAt: at,
  };
}
