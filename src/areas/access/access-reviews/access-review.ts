import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { instant, integer, name, nested, oneOf, text } from '#libs/http/field.js';
import { Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import {
  AccessReviewers,
  AccessReviewScope,
  AccessReviewStats,
  DEFAULT_DECISIONS,
  type DefaultDecision,
  type Recurrence,
  RECURRENCES,
  type ReviewStatus,
  STATUSES,
} from './access-review.parts.js';

/** A campaign in which people confirm or revoke access. Its items are in a separate table. */
export class AccessReview extends VersionedRow {
  @ReadOnly(name(), 'Display name.', { example: 'Quarterly review' })
  name!: string;

  @ReadOnly(
    oneOf(STATUSES),
    'Status. `in_progress` accepts decisions, `pending_actions` waits for `complete`, `completed` means that every revocation has been applied.',
    { example: 'in_progress' },
  )
  status!: ReviewStatus;

  @ReadOnly(nested(AccessReviewScope), 'What is reviewed.', { example: { memberships: true, apiKeys: true } })
  scope!: AccessReviewScope;

  @ReadOnly(nested(AccessReviewers), 'Who reviews.', { example: { strategy: 'manager' } })
  reviewers!: AccessReviewers;

  @ReadOnly(instant(), 'Time by which everything has to be decided.', { example: '2026-12-12T09:00:00.000Z' })
  dueAt!: string;

  @ReadOnly(
    oneOf(DEFAULT_DECISIONS),
    'Decision for items that are still open at `dueAt`; null revokes privileged ones and keeps the others.',
    { nullable: true, example: null },
  )
  onNoDecision!: DefaultDecision | null;

  @ReadOnly(oneOf(RECURRENCES), 'How often a new review with the same settings starts.', { example: 'quarterly' })
  recurrence!: Recurrence;

  @ReadOnly(integer({ min: 0, max: 2_147_483_647 }), 'Number of items, 0 before the start.', { example: 40 })
  itemCount!: number;

  @ReadOnly(
    text({ max: 64, pattern: /^[0-9a-f]{64}$/ }),
    'SHA-256 (hexadecimal) of the population at the start: the RFC 8785 form of the list of all items, each as `{ subject, snapshot, flags }`, in the order of their ids. Null before the start.',
    { nullable: true, example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  )
  populationHash!: string | null;

  @ReadOnly(instant(), 'Time of the start.', { nullable: true, example: '2026-11-28T09:00:00.000Z' })
  startedAt!: string | null;

  @ReadOnly(
    text({ max: 100 }),
    'Error code of the last attempt to start it as the next review of its series. It stays a draft, which can be started by hand and is tried again after another period. Null otherwise.',
    { nullable: true, example: null },
  )
  startError!: string | null;

  @ReadOnly(instant(), 'Time at which it became overdue; null if everything was decided in time.', { nullable: true })
  overdueAt!: string | null;

  @ReadOnly(instant(), 'Time at which the last decision was made.', { nullable: true })
  decidedAt!: string | null;

  @ReadOnly(instant(), 'Time at which the last revocation was applied.', { nullable: true })
  completedAt!: string | null;

  @ReadOnly(nested(ActorView), 'Creator.', {
    example: { type: 'member', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22', name: 'Ada Admin' },
  })
  createdBy!: ActorView;

  @Derived(nested(AccessReviewStats), 'Figures.', { told: false })
  stats?: AccessReviewStats;

  @Column('timestamptz', { name: 'reminded_at', nullable: true })
  remindedAt!: string | null;
}

export const accessReviews = governedType(AccessReview, {
  type: 'compliance.access_review',
  noun: 'access review',
  table: 'data.access_reviews',
  path: '/api/admin/compliance/access-reviews',
  hasPath: false,
  risk: 'medium',
  limit: { max: 1_000, detail: 'A tenant can have at most 1000 access reviews.' },
  events: {
    created: 'An access review was created.',
    started: 'An access review was started. Its population is fixed, and reviewers can decide.',
    start_failed: 'The next access review of a series could not be started. It is tried again after another period.',
    decided: 'Items of an access review were decided.',
    decisions_finished: 'All items of an access review are decided. The revocations can be applied.',
    overdue: 'An access review passed its due date with undecided items.',
    reminded: 'Reviewers with open items of an access review were reminded.',
    completed: 'All revocations of an access review were applied.',
    cancelled: 'An access review was cancelled.',
  },
});

export type ShownReview = ShownObject<AccessReview>;
