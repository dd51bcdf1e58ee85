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
import { ActorView, model, RecordView } from '../types/record.dto.js';

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

/** What one approver decided. */
export class ApprovalDecision {
  @Field(nested(ApprovalPerson), { description: 'Approver.' })
  by!: ApprovalPerson;

  @Field(nested(ApprovalPerson), {
    description: 'Member who was away, for whom the approver stood in; null where the approver decided for themselves.',
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

/** Why an approved action was not taken. */
export class ApprovalFailure {
  @Field(text({ max: 60 }), {
    description: 'Code of the problem; `stale_target` if the record had changed.',
    example: 'stale_target',
  })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'Explanation of the problem.', example: 'The record has changed since.' })
  detail!: string;
}

/** A request for approval: an action that a gate has parked. */
export class ApprovalView extends RecordView {
  @Field(text({ max: 60 }), { description: 'Gate that holds the action.', example: 'deal.win' })
  gate!: string;

  @Field(text({ max: 100 }), { description: 'Operation that waits.', example: 'sales.deals.win' })
  operation!: string;

  @Field(nested(ApprovalTarget), { description: 'Record that the action changes.' })
  target!: ApprovalTarget;

  @Field(text({ max: 300 }), { description: 'Summary of the action.', example: 'Win a deal: Acme renewal' })
  summary!: string;

  @Field(nested(ApprovalPerson), { description: 'Requester of the action.' })
  requestedBy!: ApprovalPerson;

  @Field(anyObject(), {
    description:
      'Body of the action. Only the requester and callers who may take the action themselves see it, without fields of the record that they may not see.',
    optional: true,
    example: {},
  })
  payload?: Record<string, unknown>;

  @Field(nested(GateApprovers), { description: 'Approvers that the gate allows.' })
  approvers!: GateApprovers;

  @Field(nested(GateApprovers), {
    description:
      'Further condition on the approvers, where both the AI policy and a gate demand approval; null elsewhere.',
    nullable: true,
  })
  alsoApprovers!: GateApprovers | null;

  @Field(integer({ min: 1, max: 5 }), { description: 'Number of approvals needed.', example: 1 })
  quorum!: number;

  @Field(flag(), { description: 'True if the requester may approve too.', example: false })
  allowSelfApproval!: boolean;

  @Field(listOf(nested(ApprovalDecision), { max: 5 }), {
    description: 'Decisions so far, oldest first.',
    example: [],
  })
  decisions!: ApprovalDecision[];

  @Field(oneOf(APPROVAL_STATUSES), { description: 'State of the request.', example: 'pending' })
  status!: ApprovalStatus;

  @Field(instant(), {
    description: 'Time at which the request expires unless it is decided.',
    example: '2026-11-24T09:15:02.114Z',
  })
  expiresAt!: string;

  @Field(instant(), { description: 'Time at which the request was closed.', nullable: true })
  closedAt!: string | null;

  @Field(nested(ApprovalFailure), {
    description: 'Problem that kept the approved action from being taken.',
    nullable: true,
  })
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

  @Field(text({ max: 20 }), { description: 'State of the request.', example: 'pending' })
  status!: string;
}
