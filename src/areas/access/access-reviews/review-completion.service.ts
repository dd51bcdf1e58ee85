import { Injectable } from '@nestjs/common';
import { requirePermission, requireProtected } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { cut } from '#libs/kernel/cut.js';
import { Problem } from '#libs/kernel/problem.js';
import { Members } from '#libs/members/members.js';
import type { AccessReview } from './access-review.js';
import type { AccessReviewItem } from './access-review-item.js';
import { type AccessReviewEffect, MAX_APPLIED } from './access-review.requests.js';
import { ReviewRecords } from './review-records.js';
import { REMOVAL_PERMISSIONS, ReviewRemovals } from './review-removals.service.js';

/** Applies the revocations of access reviews. */
@Injectable()
export class ReviewCompletion {
  constructor(
    private readonly records: ReviewRecords,
    private readonly removals: ReviewRemovals,
    private readonly members: Members,
    private readonly clock: Clock,
  ) {}

  /**
   * Applies revocations of a locked review, each in a savepoint: one that is refused keeps its error and does not
   * affect the others. The review is complete when none is left.
   * @throws Problem 403 if the caller may not remove such access.
   */
  async complete(
    transaction: Transaction,
    review: AccessReview,
  ): Promise<{ review: AccessReview; effects: AccessReviewEffect[] }> {
    const items = await this.nextItems(transaction, review.id);
    for (const type of new Set(items.map(({ subjectType }) => subjectType)))
      requirePermission(REMOVAL_PERMISSIONS[type]);
    if (items.some(({ subjectType: type, flags }) => type === 'scim_configuration' || flags.includes('privileged')))
      requireProtected(this.clock.nowMs());
    // Members are locked in the order of their ids, before anything else.
    const people = items.filter(({ subjectType }) => subjectType === 'membership').map(({ subjectId }) => subjectId);
    if (people.length > 0) await this.members.lockAll(transaction, people);
    const effects: AccessReviewEffect[] = [];
    for (const item of items) effects.push(...(await this.apply(transaction, item)));
    if ((await this.records.items.leftCount(transaction, review.id)) > 0) return { review, effects };
    const changes = { status: 'completed', completedAt: this.records.objects.now() } as const;
    return { review: this.records.objects.change(transaction, review, changes, 'completed'), effects };
  }

  /** Items that have never been tried come first, so that failing ones cannot block the others. */
  private async nextItems(transaction: Transaction, reviewId: string): Promise<AccessReviewItem[]> {
    const left = await this.records.items.lockItems(
      transaction,
      reviewId,
      () => `t.decision in ('revoke', 'reduce') and t.applied_at is null`,
    );
    return left.sort((a, b) => Number(a.applyError !== null) - Number(b.applyError !== null)).slice(0, MAX_APPLIED);
  }

  private async apply(transaction: Transaction, item: AccessReviewItem): Promise<AccessReviewEffect[]> {
    const { id, subjectType, subjectId, subjectName: name, decision } = item;
    const { items } = this.records;
    try {
      const type = await transaction.savepoint(() => this.removals.apply(transaction, item));
      const at = this.records.objects.now();
      transaction.write(items.saveOutcome(id, at, null));
      this.records.audit(transaction, 'applied', item, { [decision]: { from: null, to: type } });
      return [{ type, subjectType, id: subjectId, name }];
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      transaction.write(items.saveOutcome(id, null, { code: error.code, detail: cut(error.detail, 1_000) }));
      return [];
    }
  }
}
