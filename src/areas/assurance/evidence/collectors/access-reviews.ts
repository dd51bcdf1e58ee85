import type { ActorView } from '#libs/resource/types/record.dto.js';
import type { Decision, Flag, ReviewSnapshot, ReviewStatus, SubjectType } from '#src/areas/access/access.area.js';
import { type Collector, collector } from '../collector.js';

const folder = 'access';

interface Campaign {
  reviewId: string;
  name: string;
  status: ReviewStatus;
  strategy: string;
  populationHash: string;
  startedAt: string;
  dueAt: string;
  overdueAt: string | null;
  decidedAt: string | null;
  completedAt: string | null;
  items: number;
  pending: number;
  kept: number;
  revoked: number;
  reduced: number;
  applied: number;
  failed: number;
  medianDecisionSeconds: number | null;
}

interface Reviewed {
  reviewId: string;
  reviewStatus: ReviewStatus;
  itemId: string;
  subjectType: SubjectType;
  subjectId: string;
  subjectName: string;
  snapshot: ReviewSnapshot;
  flags: Flag[];
  reviewerId: string;
  decision: Decision;
  decidedByType: ActorView['type'] | null;
  decidedById: string | null;
  decidedAt: string | null;
  appliedAt: string | null;
  appliedEntryId: string | null;
  applyErrorCode: string | null;
}

const FRAMEWORKS = { soc2: ['CC6.2', 'CC6.3'], iso27001: ['A.5.18', 'A.8.2'], gdpr: ['Art. 32(1)(d)'] };
/** Condition: the review `r` was started before the end of the period and not completed before its beginning. */
const IN_PERIOD = `r.tenant_id = $1 and r.started_at < $3 and (r.completed_at is null or r.completed_at >= $2)`;
const isRemoval = (decision: Decision): boolean => decision === 'revoke' || decision === 'reduce';

/** Reviews of access, their decisions, and what was removed. */
export const ACCESS_REVIEWS: readonly Collector[] = [
  collector<Campaign>({
    folder,
    controlId: 'access-reviews',
    control: 'Access is reviewed in time, and what is revoked is removed.',
    title: 'Access reviews',
    type: 'population',
    source: 'Access reviews that were open or completed in the period.',
    frameworks: FRAMEWORKS,
    columns: [
      'reviewId',
      'name',
      'status',
      'strategy',
      'populationHash',
      'startedAt',
      'dueAt',
      'overdueAt',
      'decidedAt',
      'completedAt',
      'items',
      'pending',
      'kept',
      'revoked',
      'reduced',
      'applied',
      'failed',
      'medianDecisionSeconds',
    ],
    query: `
      select r.id as "reviewId", r.name, r.status, r.reviewers ->> 'strategy' as strategy,
        r.population_hash as "populationHash", r.started_at as "startedAt", r.due_at as "dueAt",
        r.overdue_at as "overdueAt", r.decided_at as "decidedAt", r.completed_at as "completedAt", i.*
      from data.access_reviews r cross join lateral (
        select count(*) as items, count(*) filter (where t.decision in ('pending', 'defer')) as pending,
          count(*) filter (where t.decision = 'keep') as kept, count(*) filter (where t.decision = 'revoke') as revoked,
          count(*) filter (where t.decision = 'reduce') as reduced,
          count(*) filter (where t.applied_at is not null) as applied,
          count(*) filter (where t.applied_at is null and t.apply_error is not null) as failed,
          round(percentile_cont(0.5) within group (order by extract(epoch from t.decided_at - r.started_at))
            filter (where t.decided_by ->> 'type' <> 'system'))::float8 as "medianDecisionSeconds"
        from data.access_review_items t where t.tenant_id = r.tenant_id and t.review_id = r.id) i
      where ${IN_PERIOD}`,
    order: '"startedAt", "reviewId"',
    finding: ({ status, dueAt, overdueAt, pending, revoked, reduced, applied }, { to }) => {
      if (status === 'cancelled') return 'It was cancelled.';
      if (overdueAt !== null || (pending > 0 && dueAt <= to)) return 'Not everything was decided in time.';
      return status === 'pending_actions' && applied < revoked + reduced ? 'Not everything revoked is removed.' : null;
    },
  }),
  collector<Reviewed>({
    folder,
    controlId: 'access-review-decisions',
    control: 'A person decides about each access, and each removal is on record.',
    title: 'Decisions of access reviews and executed revocations',
    type: 'population',
    source: 'Items of these access reviews as frozen at the start, and the entry of the audit log for each removal.',
    frameworks: FRAMEWORKS,
    columns: [
      'reviewId',
      'reviewStatus',
      'itemId',
      'subjectType',
      'subjectId',
      'subjectName',
      'snapshot',
      'flags',
      'reviewerId',
      'decision',
      'decidedByType',
      'decidedById',
      'decidedAt',
      'appliedAt',
      'appliedEntryId',
      'applyErrorCode',
    ],
    query: `
      select r.id as "reviewId", r.status as "reviewStatus", t.id as "itemId", t.subject_type as "subjectType",
        t.subject_id as "subjectId", t.subject_name as "subjectName", t.snapshot, t.flags,
        t.reviewer_id as "reviewerId", t.decision, t.decided_by ->> 'type' as "decidedByType",
        t.decided_by ->> 'id' as "decidedById", t.decided_at as "decidedAt", t.applied_at as "appliedAt",
        (select l.id from data.audit_log l where t.applied_at is not null and l.tenant_id = t.tenant_id
          and l.target_id = t.id::text and l.action = 'compliance.access_review_item.applied' limit 1) as "appliedEntryId",
        t.apply_error ->> 'code' as "applyErrorCode"
      from data.access_reviews r join data.access_review_items t on t.tenant_id = r.tenant_id and t.review_id = r.id
      where ${IN_PERIOD} and r.status <> 'cancelled'`,
    order: '"reviewId", "itemId"',
    finding: ({ reviewStatus, decision, decidedByType, appliedAt, appliedEntryId, applyErrorCode }) => {
      if (decidedByType === 'system') return 'Nobody decided before the due date.';
      if (!isRemoval(decision) || reviewStatus === 'in_progress') return null;
      if (appliedAt === null)
        return applyErrorCode === null ? 'The access is not removed.' : 'The removal was refused.';
      return appliedEntryId === null ? 'The removal is not in the audit log.' : null;
    },
  }),
];
