import type { Permission } from '#libs/auth/permissions.js';
import { Field, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { ActorView } from '../types/record.dto.js';

export const APPROVAL_STATUSES = [
  'pending',
  'approved',
  'executed',
  'failed',
  'rejected',
  'cancelled',
  'expired',
] as const;
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** The record that the pending action concerns. */
export class ApprovalTarget {
  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Id of the record.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' })
  id!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Version of the record when approval was requested. If it has changed since, the action is not taken.',
    example: 4,
  })
  version!: number;

  @Field(text({ max: 200 }), { description: 'Name of the record at that time.', example: 'Acme renewal' })
  name!: string;
}

/** A participant in an approval. */
export class ApprovalPerson extends ActorView {
  @Field(id(), { description: 'Membership that the credential acted for.', nullable: true })
  membershipId!: string | null;
}

/** The decision of one approver. */
export class ApprovalDecision {
  @Field(nested(ApprovalPerson), { description: 'Approver.' })
  by!: ApprovalPerson;

  @Field(nested(ApprovalPerson), {
    description: 'Absent member for whom the approver stood in; null if the approver decided for themselves.',
    nullable: true,
  })
  onBehalfOf!: ApprovalPerson | null;

  @Field(oneOf(['approve', 'reject']), { description: 'Decision.', example: 'approve' })
  decision!: 'approve' | 'reject';

  @Field(text({ max: 1_000 }), { description: 'Note of the approver.', nullable: true, example: 'Good price' })
  note!: string | null;

  @Field(instant(), { description: 'Time of the decision.', example: '2026-11-21T09:20:41.007Z' })
  at!: string;
}

/** Why an approved action failed. */
export class ApprovalFailure {
  @Field(text({ max: 60 }), {
    description: 'Code of the problem; `stale_target` if the record had changed.',
    example: 'stale_target',
  })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'Explanation of the problem.', example: 'The record has changed since.' })
  detail!: string;
}

/** The requester and the permission that was used. `keyId` identifies the credential in the directory. */
export interface Requester extends ApprovalPerson {
  keyId: string;
  permission: string;
}

/** Who may decide. */
export interface Deciders {
  /** Includes the requester's manager if the gate requires one. */
  memberIds: string[];
  /** Missing in requests that are older than roles in gates. */
  roleIds?: string[];
  managerOfRequester?: boolean;
  permission: Permission | null;
}

/** The rule in force when the action was parked. Later changes of the gate do not affect it. */
export interface ApprovalRule extends Deciders {
  /** A second requirement for approvers, if both a policy and a gate apply. */
  also?: Deciders;
  quorum: number;
  allowSelfApproval: boolean;
}

/** A decision with the person behind the credential of the approver. */
export interface KeptDecision extends Omit<ApprovalDecision, 'onBehalfOf'> {
  person: string;
  /** Missing in decisions that are older than delegation. */
  onBehalfOf?: ApprovalPerson | null;
}

const note = () => text({ min: 1, max: 1_000, pattern: /\S/ });

export class ApproveApproval {
  @Field(note(), {
    description: 'Note for the other approvers.',
    example: 'Good price',
    optional: true,
    nullable: true,
  })
  note!: string | null;
}

export class RejectApproval {
  @Field(note(), { description: 'Reason for the rejection.', example: 'The discount is too high' })
  reason!: string;
}

export class CancelApproval {
  @Field(note(), {
    description: 'Reason for the cancellation.',
    example: 'No longer needed',
    optional: true,
    nullable: true,
  })
  reason!: string | null;
}

/** A change that waits for approval. */
export class PendingApproval {
  @Field(id(), { description: 'Id of the request, see `/api/home/approvals`.' })
  id!: string;

  @Field(text({ max: 20 }), { description: 'State of the request.', example: 'pending' })
  status!: string;
}
