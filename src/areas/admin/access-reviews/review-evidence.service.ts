import { Injectable } from '@nestjs/common';
import type { ShownReview } from './access-review.js';
import { type AccessReviewItemView, shownItem } from './access-review-item.js';
import { ReviewRecords } from './review-records.js';

/** A completed review with all its items: their decisions, and when revocations were applied. */
export interface CompletedReview {
  review: ShownReview;
  items: AccessReviewItemView[];
}

/** Completed access reviews as evidence. */
@Injectable()
export class ReviewEvidence {
  constructor(private readonly records: ReviewRecords) {}

  /** The reviews of the tenant completed from `from` until before `to`, oldest first, with items in order of their ids. */
  async completedBetween(from: string, to: string): Promise<CompletedReview[]> {
    const { objects, items } = this.records;
    const rows = await objects.rows.all(
      (add) => `t.completed_at >= ${add(from)}::timestamptz and t.completed_at < ${add(to)}::timestamptz`,
    );
    const reviews = await this.records.show(rows, null);
    const all = await items.all((add) => `t.review_id = any(${add(rows.map(({ id }) => id))}::uuid[])`);
    const byReview = Map.groupBy(all, ({ reviewId }) => reviewId);
    return reviews.map((review) => ({ review, items: (byReview.get(review.id) ?? []).map(shownItem) }));
  }
}
