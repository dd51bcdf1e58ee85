import { Injectable } from '@nestjs/common';
import { auditStatement, type Changes } from '#libs/audit/audit-entry.js';
import { holds } from '#libs/auth/current-principal.js';
import { cancelStatement, timerStatement } from '#libs/automation/timers.js';
import type { Transaction } from '#libs/database/transaction.js';
import { cut } from '#libs/kernel/cut.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { requirePossible } from '#libs/kernel/lifecycle.js';
import { callingMember } from '#libs/resource/lists/list-query.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { type AccessReview, accessReviews, type ShownReview } from './access-review.js';
import { type AccessReviewItem, ITEM_TYPE } from './access-review-item.js';
import type { AccessReviewStats, Recurrence } from './access-review.parts.js';
import { DECIDE, type ReviewAction, reviewLife } from './access-review.requests.js';
import { AccessReviewsRepository } from './access-reviews.repository.js';

export const READ = 'access-reviews:read';
/** Fires at the due date; the key is the id of the review. */
export const DUE = 'compliance.access_review.due';
/** Fires before the due date; the key is the id of the review and the remaining days. */
export const REMINDER = 'compliance.access_review.reminder';
/** Fires when the next review of a series starts; the key is the id of the review before, or of the draft that could not start. */
export const RECURRENCE = 'compliance.access_review.recurrence';
/** Days before the due date on which reviewers are reminded. */
const REMINDER_DAYS = [7, 1];
const MONTHS: Record<Exclude<Recurrence, 'none'>, number> = { monthly: 1, quarterly: 3, yearly: 12 };

const NO_ITEMS: AccessReviewStats = {
  items: 0,
  pending: 0,
  deferred: 0,
  kept: 0,
  revoked: 0,
  reduced: 0,
  applied: 0,
  failed: 0,
  medianDecisionSeconds: null,
  keepRate: null,
};

/** Access reviews as rows: showing and changing them, each change with its audit entry, event and timers. */
@Injectable()
export class ReviewRecords {
  readonly objects: GovernedObjects<AccessReview>;

  constructor(
    kit: ResourceKit,
    readonly items: AccessReviewsRepository,
  ) {
    this.objects = new GovernedObjects(accessReviews, kit);
  }

  /** Locks a review and checks that its state allows the action. @throws Problem 404, 409 `invalid_transition`. */
  async lock(transaction: Transaction, id: string, action: Exclude<ReviewAction, 'create'>): Promise<AccessReview> {
    const review = await this.objects.lock(transaction, id);
    requirePossible(reviewLife, action, review.status);
    return review;
  }

  /** Records that items of a locked review were decided. */
  decided(transaction: Transaction, before: AccessReview): AccessReview {
    const after = nextVersion(before, { updatedAt: this.objects.now() });
    this.objects.record(transaction, { event: 'decided', before, after, save: this.objects.rows.replace(after) });
    return after;
  }

  /** Ends the decisions of a locked review. */
  finish(transaction: Transaction, review: AccessReview): AccessReview {
    for (const timer of deadlinesOf(review)) transaction.write(cancelStatement(timer));
    const changes = { status: 'pending_actions', decidedAt: this.objects.now() } as const;
    return this.objects.change(transaction, review, changes, 'decisions_finished');
  }

  /** Sets the timers of a review that starts. Reminders that would be in the past are not set. */
  schedule(transaction: Transaction, review: AccessReview): void {
    const now = this.objects.now();
    for (const timer of deadlinesOf(review)) if (timer.dueAt > now) transaction.write(timerStatement(timer));
    this.scheduleNext(transaction, review, review.startedAt!);
  }

  /** Sets the timer of the next review of a series, one period after `at`. */
  scheduleNext(transaction: Transaction, { id, recurrence }: AccessReview, at: string): void {
    if (recurrence === 'none') return;
    const dueAt = monthsAfter(at, MONTHS[recurrence]);
    transaction.write(timerStatement({ kind: RECURRENCE, key: id, dueAt }));
  }

  /** Cancels all timers of a review. */
  unschedule(transaction: Transaction, review: AccessReview): void {
    for (const timer of deadlinesOf(review)) transaction.write(cancelStatement(timer));
    transaction.write(cancelStatement({ kind: RECURRENCE, key: review.id }));
  }

  /** Audits what happened to one item. */
  audit(
    transaction: Transaction,
    verb: 'decided' | 'applied',
    { id, subjectName, memberId, reason, flags }: AccessReviewItem,
    changes: Changes,
  ): void {
    const fact = {
      action: `${ITEM_TYPE}.${verb}`,
      target: { type: ITEM_TYPE, id, name: cut(subjectName, 200) },
      about: memberId,
      outcome: 'success',
      riskLevel: verb === 'applied' || flags.includes('privileged') ? 'high' : 'medium',
      changes,
      reason,
    } as const;
    transaction.write(auditStatement(currentScope(), fact, this.objects.now()));
  }

  /** Reviews in responses; with `reviewerId`, the figures cover the items of this reviewer. */
  async show(reviews: readonly AccessReview[], reviewerId: string | null): Promise<ShownReview[]> {
    const ids = reviews.map(({ id }) => id);
    const stats = await this.items.statsOf(ids, reviewerId);
    return reviews.map((review) => ({
      ...review,
      object: accessReviews.type,
      stats: stats.get(review.id) ?? NO_ITEMS,
    }));
  }
}

/** The reviewer whose items alone the caller may see; null for those of all. */
export function onlyReviewer(): string | null {
  return holds(READ) || holds(DECIDE) ? null : callingMember();
}

function deadlinesOf({ id, dueAt }: AccessReview): { kind: string; key: string; dueAt: string }[] {
  const before = (days: number) => new Date(Date.parse(dueAt) - days * DAY_MS).toISOString();
  return [
    { kind: DUE, key: id, dueAt },
    ...REMINDER_DAYS.map((days) => ({ kind: REMINDER, key: `${id}|${days}`, dueAt: before(days) })),
  ];
}

/** The same day of a later month, or its last day. */
function monthsAfter(at: string, months: number): string {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, last));
  return date.toISOString();
}
