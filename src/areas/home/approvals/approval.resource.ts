import { Field, fieldsOf, id, instant, oneOf, text } from '#libs/http/field.js';
import { APPROVAL_STATUSES, ApprovalView } from '#libs/resource/gates/approval.dto.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { model, pageOf } from '#libs/resource/types/record.dto.js';
import { EMPTY_ENVELOPE } from '#libs/resource/types/record.entity.js';
import { Approval } from './approval.entity.js';
import { type ApprovalAction, approvalLifecycle } from './approval.lifecycle.js';

const PERSON = {
  type: 'api_key',
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21',
  name: 'Sales desk',
  membershipId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
};

/** Filters for the caller's own approvals. */
export const MINE = ['to_decide', 'requested'] as const;

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

const list: ListOptions = {
  filters: {
    ids: filter.plain(id(), 'in', 't.id'),
    name: filter.text(200),
    status: filter.exact(oneOf(APPROVAL_STATUSES)),
    gate: filter.exact(text({ max: 60 })),
    targetId: filter.exact(id()),
    createdAt: filter.ordered(instant()),
    updatedAt: filter.ordered(instant()),
    expiresAt: filter.ordered(instant()),
  },
  sorts: ['createdAt', 'updatedAt', 'name', 'expiresAt'],
  defaultSort: '-createdAt',
};

export const ApprovalPage = pageOf(ApprovalView);
export const ApprovalQuery = model('ApprovalListQuery', {
  mine: {
    kind: oneOf(MINE),
    description: '`to_decide` for requests that you can decide, `requested` for your own.',
    optional: true,
  },
  ...Object.fromEntries(fieldsOf(listQuery('ApprovalOptions', list))),
});

class NoBody {}

/** Approvals are created when an action is parked. No operation creates or edits them directly. */
export const approvals: ResourceDefinition<Approval, ApprovalAction> = {
  type: 'core.approval',
  noun: 'request for approval',
  base: '/api',
  area: 'home',
  collection: 'approvals',
  prefix: 'APPR',
  entity: Approval,
  view: ApprovalView,
  create: NoBody,
  update: NoBody,
  permissions: { read: 'approvals:read', write: 'approvals:decide' },
  lifecycle: approvalLifecycle,
  stateField: 'status',
  restricted: [{ fields: ['payload'], permission: 'approvals:manage' }],
  createdEvent: 'requested',
  inputs: { approve: ApproveApproval, reject: RejectApproval, cancel: CancelApproval },
  list,
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b90',
    object: 'core.approval',
    reference: 'APPR-000001',
    name: 'Win a deal: Acme renewal',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: { type: PERSON.type, id: PERSON.id, name: PERSON.name },
    updatedBy: { type: PERSON.type, id: PERSON.id, name: PERSON.name },
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    gate: 'deal.win',
    operation: 'sales.deals.win',
    target: { object: 'sales.deal', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20', version: 4, name: 'Acme renewal' },
    summary: 'Win a deal: Acme renewal',
    requestedBy: PERSON,
    approvers: { memberIds: [], roleIds: [], managerOfRequester: false, permission: null },
    alsoApprovers: null,
    quorum: 1,
    allowSelfApproval: false,
    decisions: [],
    status: 'pending',
    expiresAt: '2026-11-24T09:15:02.114Z',
    closedAt: null,
    failure: null,
  },
};
