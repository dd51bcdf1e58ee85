import {
  anyObject,
  Field,
  flag,
  id,
  instant,
  integer,
  listOf,
  nested,
  oneOf,
  text,
  type ModelClass,
} from '#libs/http/field.js';
import { GateApprovers } from '#libs/settings/gate.model.js';
import { ActorView, model, RecordView } from './record.dto.js';

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

/** The record that waits. */
export class ApprovalTarget {
  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Its id.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' })
  id!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Its version when approval was asked for. If it has changed since, the action is not taken.',
    example: 4,
  })
  version!: number;

  @Field(text({ max: 200 }), { description: 'Its name at that time.', example: 'Acme renewal' })
  name!: string;
}

/** Somebody who takes part in an approval. */
export class ApprovalPerson extends ActorView {
  @Field(id(), { description: 'Membership that the credential acted for.', nullable: true })
  membershipId!: string | null;
}

/** What one approver decided. */
export class ApprovalDecision {
  @Field(nested(ApprovalPerson), { description: 'Approver.' })
  by!: ApprovalPerson;

  @Field(oneOf(['approve', 'reject']), { description: 'Decision.', example: 'approve' })
  decision!: 'approve' | 'reject';

  @Field(text({ max: 1_000 }), { description: 'Note of the approver.', nullable: true, example: 'Good price' })
  note!: string | null;

  @Field(instant(), { description: 'Time of the decision.', example: '2026-11-21T09:20:41.007Z' })
  at!: string;
}

/** Why an approved action was not taken. */
export class ApprovalFailure {
  @Field(text({ max: 60 }), {
    description: 'Code of the problem; `stale_target` if the record had changed.',
    example: 'stale_target',
  })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'Reason of the failure.', example: 'The record has changed since.' })
  detail!: string;
}

/** A request for approval: an action that a gate has parked. */
export class ApprovalView extends RecordView {
  @Field(text({ max: 60 }), { description: 'Gate that asked for it.', example: 'deal.win' })
  gate!: string;

  @Field(text({ max: 100 }), { description: 'Operation that waits.', example: 'sales.deals.win' })
  operation!: string;

  @Field(nested(ApprovalTarget), { description: 'Record that it changes.' })
  target!: ApprovalTarget;

  @Field(text({ max: 300 }), { description: 'Summary of the action.', example: 'Win a deal: Acme renewal' })
  summary!: string;

  @Field(nested(ApprovalPerson), { description: 'Requester.' })
  requestedBy!: ApprovalPerson;

  @Field(anyObject(), {
    description:
      'Body of the action. Only for who asked, and for who may take the action: without what they may not see of the record.',
    optional: true,
    example: {},
  })
  payload?: Record<string, unknown>;

  @Field(nested(GateApprovers), { description: 'Approvers.' })
  approvers!: GateApprovers;

  @Field(nested(GateApprovers), {
    description:
      'What whoever decides must be besides, where a policy of AI jobs and a gate have both asked; else null.',
    nullable: true,
  })
  alsoApprovers!: GateApprovers | null;

  @Field(integer({ min: 1, max: 5 }), { description: 'How many must approve.', example: 1 })
  quorum!: number;

  @Field(flag(), { description: 'Whether who asked may approve too.', example: false })
  allowSelfApproval!: boolean;

  @Field(listOf(nested(ApprovalDecision), { max: 5 }), {
    description: 'Decisions so far, oldest first.',
    example: [],
  })
  decisions!: ApprovalDecision[];

  @Field(oneOf(APPROVAL_STATUSES), { description: 'How far it is.', example: 'pending' })
  status!: ApprovalStatus;

  @Field(instant(), { description: 'Time at which it expires if nobody decides.', example: '2026-11-24T09:15:02.114Z' })
  expiresAt!: string;

  @Field(instant(), { description: 'Time at which it was over.', nullable: true })
  closedAt!: string | null;

  @Field(nested(ApprovalFailure), { description: 'Why the approved action was not taken.', nullable: true })
  failure!: ApprovalFailure | null;
}

/** The 202 of an operation on a record of this kind: the request for approval, and the record as it still is. */
export function parkedOf(view: ModelClass): ModelClass {
  return model(`${view.name}Parked`, {
    approval: { kind: nested(ApprovalView), description: 'The request for approval.' },
    record: { kind: nested(view), description: 'The record, unchanged.' },
  });
}

/** A change that waits for approval. */
export class PendingApproval {
  @Field(id(), { description: 'Id of the request, see `/api/home/approvals`.' })
  id!: string;

  @Field(text({ max: 20 }), { description: 'How far it is.', example: 'pending' })
  status!: string;
}
