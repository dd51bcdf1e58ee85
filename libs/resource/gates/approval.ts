import { Column } from 'typeorm';
import {
  anyObject,
  flag,
  id,
  instant,
  integer,
  listOf,
  type ModelClass,
  nested,
  oneOf,
  text,
} from '#libs/http/field.js';
import { GateApprovers } from '#libs/settings/gate.model.js';
import { filter } from '../lists/list-query.js';
import { Derived, ReadOnly } from '../types/attribute.js';
import type { ResourceDefinition } from '../types/definition.js';
import { model } from '../types/record.dto.js';
import { RecordRow } from '../types/record.entity.js';
import { recordType, type Shown } from '../types/record-type.js';
import { type ApprovalAction, approvalLifecycle } from './approval.lifecycle.js';
import {
  APPROVAL_STATUSES,
  ApprovalDecision,
  ApprovalFailure,
  ApprovalPerson,
  type ApprovalRule,
  type ApprovalStatus,
  ApprovalTarget,
  ApproveApproval,
  CancelApproval,
  type KeptDecision,
  RejectApproval,
  type Requester,
} from './approval.parts.js';

const PERSON = {
  type: 'api_key',
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21',
  name: 'Sales desk',
  membershipId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
};
const TARGET = {
  object: 'sales.deal',
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
  version: 4,
  name: 'Acme renewal',
};
const SUMMARY = 'Win a deal: Acme renewal';

/** A request for approval of an action that a gate has parked. */
export class Approval extends RecordRow {
  @ReadOnly(text({ max: 60 }), 'Gate that holds the action.', { example: 'deal.win', filter: true })
  gate!: string;

  @ReadOnly(text({ max: 100 }), 'Operation that waits.', { example: 'sales.deals.win' })
  operation!: string;

  @Derived(nested(ApprovalTarget), 'Record that the action changes.', { example: TARGET })
  target?: ApprovalTarget;

  @Derived(text({ max: 300 }), 'Summary of the action.', { example: SUMMARY })
  summary?: string;

  @Derived(nested(ApprovalPerson), 'Requester of the action.', { example: PERSON, privacy: 'personal' })
  requestedBy?: ApprovalPerson;

  @Derived(
    anyObject(),
    'Body of the action. Only the requester and callers who may take the action themselves see it, without fields of the record that they may not see.',
    { example: {}, restricted: 'approvals:manage' },
  )
  payload?: Record<string, unknown>;

  @Derived(nested(GateApprovers), 'Approvers that the gate allows.', {
    example: { memberIds: [], roleIds: [], managerOfRequester: false, permission: null },
  })
  approvers?: GateApprovers;

  @Derived(
    nested(GateApprovers),
    'Additional condition on the approvers if both the AI policy and a gate require approval; otherwise null.',
    { nullable: true },
  )
  alsoApprovers?: GateApprovers | null;

  @Derived(integer({ min: 1, max: 5 }), 'Number of approvals needed.', { example: 1 })
  quorum?: number;

  @Derived(flag(), 'True if the requester may approve too.', { example: false })
  allowSelfApproval?: boolean;

  @Derived(listOf(nested(ApprovalDecision), { max: 5 }), 'Decisions so far, oldest first.', { example: [] })
  @Column('jsonb')
  decisions!: KeptDecision[];

  @ReadOnly(oneOf(APPROVAL_STATUSES), 'State of the request.', { example: 'pending', filter: true })
  status!: ApprovalStatus;

  @ReadOnly(instant(), 'Time at which the request expires unless it is decided.', {
    example: '2026-11-24T09:15:02.114Z',
    filter: true,
    sort: true,
  })
  expiresAt!: string;

  @ReadOnly(instant(), 'Time at which the request was closed.', { nullable: true })
  closedAt!: string | null;

  @ReadOnly(nested(ApprovalFailure), 'Problem that kept the approved action from being taken.', { nullable: true })
  failure!: ApprovalFailure | null;

  @Column('text')
  action!: string;

  @Column('text', { name: 'target_object' })
  targetObject!: string;

  @Column('uuid', { name: 'target_id' })
  targetId!: string;

  @Column('integer', { name: 'target_version' })
  targetVersion!: number;

  @Column('text', { name: 'target_name' })
  targetName!: string;

  /** Body of the action. */
  @Column('jsonb')
  input!: Record<string, unknown>;

  @Column('jsonb')
  requester!: Requester;

  /** Whose request it is: the membership, or the lineage of a service key. */
  @Column('uuid', { name: 'requester_person' })
  requesterPerson!: string;

  /** The person behind the requester, who is no second person. */
  @Column('uuid', { name: 'requester_behind' })
  requesterBehind!: string;

  @Column('jsonb')
  rule!: ApprovalRule;
}

class NoBody {}

/** Approvals are created only when an action is parked. No operation creates or edits them directly. */
export const approvals: ResourceDefinition<Approval, ApprovalAction> = {
  ...recordType(Approval, {
    type: 'core.approval',
    noun: 'request for approval',
    base: '/api',
    area: 'home',
    collection: 'approvals',
    prefix: 'APPR',
    permissions: { read: 'approvals:read', write: 'approvals:decide' },
    name: { example: SUMMARY },
    hasEnvelope: false,
    lifecycle: approvalLifecycle,
    createdEvent: 'requested',
    inputs: { approve: ApproveApproval, reject: RejectApproval, cancel: CancelApproval },
    filters: { targetId: filter.exact(id()) },
    retention: ['closedAt'],
  }),
  create: NoBody,
  update: NoBody,
};

export const ApprovalView = approvals.view;

/** A request as the API shows it. */
export type ApprovalView = Omit<Shown<Approval>, 'decisions' | 'requestedBy'> & {
  decisions: ApprovalDecision[];
  requestedBy: ApprovalPerson;
};

/** The 202 of an operation on a record of this type: the request for approval and the unchanged record. */
export function parkedOf(view: ModelClass): ModelClass {
  return model(`${view.name}Parked`, {
    approval: { kind: nested(ApprovalView), description: 'The request for approval.' },
    record: { kind: nested(view), description: 'The record, unchanged.' },
  });
}
