import { Column, Entity } from 'typeorm';
import { TenantRow } from '#libs/database/tenant-row.js';
import { Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { ActorView } from '#libs/resource/types/record.dto.js';

export const ITEM_TYPE = 'compliance.access_review_item';
export const SUBJECT_TYPES = ['membership', 'api_key', 'resource_permission', 'scim_configuration'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];
export const DECISIONS = ['pending', 'keep', 'revoke', 'reduce', 'defer'] as const;
export type Decision = (typeof DECISIONS)[number];
/** Decisions that somebody still has to make. */
export const OPEN: readonly Decision[] = ['pending', 'defer'];
export const FLAGS = [
  'privileged',
  'inactive_90d',
  'no_mfa',
  'terminated_employee',
  'role_growth',
  'conflicting_duties',
  'never_used',
  'new_since_last_review',
  'no_expiry',
] as const;
export type Flag = (typeof FLAGS)[number];

const name = text({ max: 500 });
const reason = text({ max: 1_000 });
const actor = nested(ActorView);

/** Whose or which access is reviewed. */
export class ReviewSubject {
  @Field(oneOf(SUBJECT_TYPES), { description: 'Kind of access.', example: 'membership' })
  type!: SubjectType;

  @Field(id(), {
    description: 'Id of the membership, API key, exception or connection.',
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
  })
  id!: string;

  @Field(name, { description: 'Name at the start.', example: 'Ana Silva' })
  name!: string;
}

export class SnapshotRole {
  @Field(id(), { description: 'Id of the role.', example: '00000000-0000-7000-8000-000000000002' })
  id!: string;

  @Field(name, { description: 'Name of the role.', example: 'Admin' })
  name!: string;
}

/** The access at the start of the review. */
export class ReviewSnapshot {
  @Field(listOf(nested(SnapshotRole), { max: 1_000 }), {
    description: 'Roles of the member, or roles that the connection can grant.',
  })
  roles!: SnapshotRole[];

  @Field(listOf(text({ max: 100 }), { max: 200 }), { description: 'Scopes of the API key.', example: [] })
  scopes!: string[];

  @Field(integer({ min: 0, max: 2_147_483_647 }), {
    description: 'Number of different permissions in these roles or scopes.',
    example: 112,
  })
  permissionCount!: number;

  @Field(instant(), { description: 'Time of the last use; null for never.', nullable: true })
  lastActiveAt!: string | null;

  @Field(instant(), { description: 'Time of creation.' })
  createdAt!: string;

  @Field(instant(), { description: 'Time at which the access expires; null for never.', nullable: true })
  expiresAt!: string | null;

  @Field(flag(), {
    description: 'Whether the last sign-in used a second factor; null if the subject is not a member.',
    nullable: true,
    example: true,
  })
  mfa!: boolean | null;

  @Field(text({ max: 40 }), {
    description: 'How a member joined, or the kind of an API key; null otherwise.',
    nullable: true,
    example: 'invite',
  })
  source!: string | null;
}

/** An earlier or current decision. */
export class DecisionEntry {
  @Field(oneOf(DECISIONS), { description: 'Decision.', example: 'defer' })
  decision!: Decision;

  @Field(reason, { description: 'Reason.', nullable: true })
  reason!: string | null;

  @Field(actor, { description: 'Who decided.' })
  by!: ActorView;

  @Field(instant(), { description: 'Time of the decision.' })
  at!: string;
}

/** Why a revocation could not be applied. */
export class ApplyError {
  @Field(text({ max: 100 }), { description: 'Error code.', example: 'last_owner' })
  code!: string;

  @Field(reason, { description: 'Explanation.' })
  detail!: string;
}

/** One access to be confirmed or revoked. */
@Entity({ schema: 'data', name: 'access_review_items' })
export class AccessReviewItem extends TenantRow {
  @Column('uuid', { name: 'review_id' })
  reviewId!: string;

  @Column('text', { name: 'subject_type' })
  subjectType!: SubjectType;

  @Column('uuid', { name: 'subject_id' })
  subjectId!: string;

  @Column('text', { name: 'subject_name' })
  subjectName!: string;

  /** The person whose access it is, who must not decide; null if it is nobody's. */
  @Column('uuid', { name: 'member_id', nullable: true })
  memberId!: string | null;

  @Column('jsonb')
  snapshot!: ReviewSnapshot;

  @Column('jsonb')
  flags!: Flag[];

  @Column('uuid', { name: 'reviewer_id' })
  reviewerId!: string;

  @Column('text')
  decision!: Decision;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('jsonb', { name: 'new_role_ids', nullable: true })
  newRoleIds!: string[] | null;

  @Column('jsonb', { name: 'decided_by', nullable: true })
  decidedBy!: ActorView | null;

  @Column('timestamptz', { name: 'decided_at', nullable: true })
  decidedAt!: string | null;

  @Column('jsonb')
  history!: DecisionEntry[];

  @Column('timestamptz', { name: 'applied_at', nullable: true })
  appliedAt!: string | null;

  @Column('jsonb', { name: 'apply_error', nullable: true })
  applyError!: ApplyError | null;
}

/** An item in responses. */
export class AccessReviewItemView {
  @Field(id(), { description: 'Id of the item.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1f01' })
  id!: string;

  @Field(nested(ReviewSubject), { description: 'The access under review.' })
  subject!: ReviewSubject;

  @Field(nested(ReviewSnapshot), { description: 'The access at the start of the review.' })
  snapshot!: ReviewSnapshot;

  @Field(listOf(oneOf(FLAGS), { max: FLAGS.length }), {
    description:
      'What to look at: `privileged` (can run the tenant), `inactive_90d` (unused for 90 days), `no_mfa` (last sign-in without a second factor), `terminated_employee`, `role_growth` (a role added since the last completed review, without one within 90 days), `conflicting_duties` (issues invoices and records payments, writes and approves offers, or manages employees and their pay), `never_used`, `new_since_last_review`, `no_expiry`.',
    example: ['privileged', 'no_mfa'],
  })
  flags!: Flag[];

  @Field(id(), { description: 'Membership of the assigned reviewer.' })
  reviewerId!: string;

  @Field(oneOf(DECISIONS), { description: 'Decision; `pending` and `defer` are open.', example: 'pending' })
  decision!: Decision;

  @Field(reason, { description: 'Reason for the decision.', nullable: true })
  reason!: string | null;

  @Field(listOf(id(), { max: 100 }), { description: 'Remaining roles after `reduce`.', nullable: true })
  newRoleIds!: string[] | null;

  @Field(actor, { description: 'Who decided; null if undecided.', nullable: true })
  decidedBy!: ActorView | null;

  @Field(instant(), { description: 'Time of the decision.', nullable: true })
  decidedAt!: string | null;

  @Field(listOf(nested(DecisionEntry), { max: 1_000 }), { description: 'All decisions, oldest first.' })
  history!: DecisionEntry[];

  @Field(instant(), { description: 'Time at which the revocation or reduction was applied.', nullable: true })
  appliedAt!: string | null;

  @Field(nested(ApplyError), {
    description: 'Why the last attempt to apply it failed. The item can be decided again, with a reason.',
    nullable: true,
  })
  applyError!: ApplyError | null;
}

/** Whether a revocation or reduction could not be applied, so that it can be decided again. */
export function isStuck({ appliedAt, applyError }: AccessReviewItem): boolean {
  return applyError !== null && appliedAt === null;
}

/** The representation of an item in the API. */
export function shownItem(item: AccessReviewItem): AccessReviewItemView {
  const { subjectType: type, subjectId, subjectName, ...rest } = item;
  return { ...rest, subject: { type, id: subjectId, name: subjectName } };
}
