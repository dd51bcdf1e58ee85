import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { RoleBook } from '#libs/members/role-book.js';
import { WorkspaceBook } from '#libs/members/workspace-book.js';
import type { AccessReview } from './access-review.js';
import {
  type AccessReviewCommand,
  type AccessReviewResult,
  type CommandOutcome,
  type ReviewAction,
} from './access-review.requests.js';
import { commandViolations, termsOf } from './command-rules.js';
import { ReviewCompletion } from './review-completion.service.js';
import { ReviewDecisions } from './review-decisions.service.js';
import { ReviewLetters } from './review-letters.js';
import { onlyReviewer, ReviewRecords } from './review-records.js';
import { ReviewStarts } from './review-starts.service.js';

/** Minimum time between two reminders by people. */
const REMIND_EVERY_MS = 3_600_000;

type Done = { review: AccessReview } & Partial<CommandOutcome>;

/** The commands of access reviews. */
@Injectable()
export class ReviewCommands {
  constructor(
    private readonly records: ReviewRecords,
    private readonly starts: ReviewStarts,
    private readonly decisions: ReviewDecisions,
    private readonly completion: ReviewCompletion,
    private readonly letters: ReviewLetters,
    private readonly roles: RoleBook,
    private readonly workspaces: WorkspaceBook,
  ) {}

  /**
   * Runs one command in one transaction.
   * @throws Problem 400, 403, 404, 409 `invalid_transition`, and as the actions.
   */
  async run(input: AccessReviewCommand): Promise<AccessReviewResult> {
    const action = input.action ?? 'create';
    const violations = commandViolations(input, this.records.objects.now());
    if (violations.length > 0) throw Problem.validation(violations);
    return this.records.objects.unit(async (transaction) => {
      const { review, effects = [], results = [] } = await this.take(transaction, action, input);
      const [shown] = await this.records.show([review], action === 'decide' ? onlyReviewer() : null);
      return { ...shown!, effects, results };
    });
  }

  private async take(transaction: Transaction, action: ReviewAction, input: AccessReviewCommand): Promise<Done> {
    if (action === 'create') return { review: await this.create(transaction, input) };
    const review = await this.records.lock(transaction, input.campaignId!, action);
    switch (action) {
      case 'start':
        return { review: await this.starts.start(transaction, review, input.dueAt && inUtc(input.dueAt)) };
      case 'decide':
        return this.decisions.decide(transaction, review, input.decisions!);
      case 'complete':
        return this.completion.complete(transaction, review);
      case 'cancel':
        return { review: this.cancel(transaction, review, input.reason!) };
      case 'remind':
        return this.remind(transaction, review);
    }
  }

  private async create(transaction: Transaction, input: AccessReviewCommand): Promise<AccessReview> {
    const terms = termsOf(input);
    const { roleIds = [], workspaceIds = [] } = terms.scope;
    await this.roles.resolve(transaction, roleIds, '/scope/roleIds');
    await this.workspaces.requireOpen(transaction, workspaceIds, new Set(), '/scope/workspaceIds');
    const named = terms.reviewers.membershipIds ?? [];
    const unknown = await this.records.items.unknownMembers(transaction, named);
    if (unknown.size > 0)
      throw Problem.validation(
        named.flatMap((id, index) =>
          unknown.has(id)
            ? {
                pointer: `/reviewers/membershipIds/${index}`,
                code: 'unknown_reference',
                detail: 'There is no such active member.',
              }
            : [],
        ),
      );
    await this.records.objects.refuseBeyondLimit();
    const draft = this.starts.create(transaction, terms);
    return input.start ? this.starts.start(transaction, draft) : draft;
  }

  private cancel(transaction: Transaction, review: AccessReview, reason: string): AccessReview {
    this.records.unschedule(transaction, review);
    return this.records.objects.change(transaction, review, { status: 'cancelled' }, 'cancelled', { reason });
  }

  private async remind(transaction: Transaction, review: AccessReview): Promise<Done> {
    const at = this.records.objects.now();
    const nextAt = Date.parse(review.remindedAt ?? '1970-01-01') + REMIND_EVERY_MS;
    if (nextAt > Date.parse(at))
      throw new Problem('reminded_recently', `Reviewers can be reminded again at ${new Date(nextAt).toISOString()}.`);
    const reviewers = await this.letters.remind(transaction, review);
    const changed = this.records.objects.change(transaction, review, { remindedAt: at }, 'reminded');
    const type = 'reviewer_reminded' as const;
    return {
      review: changed,
      effects: reviewers.map(({ id, name }) => ({ type, subjectType: 'membership', id, name })),
    };
  }
}

function inUtc(at: string): string {
  return new Date(at).toISOString();
}
