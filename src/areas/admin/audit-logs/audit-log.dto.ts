import { anyObject, Field, id, instant, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { ActorView, pageOf } from '#libs/resource/types/record.dto.js';

const OUTCOMES = ['success', 'denied', 'failed'];
const RISK_LEVELS = ['low', 'medium', 'high'];

export class AuditTarget {
  @Field(text({ max: 60 }), { description: 'Type of the target.', example: 'sales.deal' })
  type!: string;

  @Field(text({ max: 200 }), { description: 'Id of the target.', nullable: true })
  id!: string | null;

  @Field(text({ max: 200 }), { description: 'Name of the target at that time; null once erased.', nullable: true })
  name!: string | null;
}

export class AuditEntryView {
  @Field(id(), { description: 'Id of the entry.' })
  id!: string;

  @Field(instant(), { description: 'Time of the action.' })
  occurredAt!: string;

  @Field(nested(ActorView), { description: 'Actor who took the action.' })
  actor!: ActorView;

  @Field(listOf(nested(ActorView), { max: 10 }), {
    description:
      'Who authorized the action in addition to the actor: the approvers, or whoever accepted the proposal of an AI job. Empty if nobody else was involved.',
    example: [],
  })
  allowedBy!: ActorView[];

  @Field(text({ max: 200 }), { description: 'Action that was taken or attempted.', example: 'sales.deal.won' })
  action!: string;

  @Field(nested(AuditTarget), { description: 'Target of the action.', nullable: true })
  target!: AuditTarget | null;

  @Field(oneOf(OUTCOMES), { description: 'Outcome of the action.', example: 'success' })
  outcome!: string;

  @Field(oneOf(RISK_LEVELS), { description: 'Relevance for a review.', example: 'low' })
  riskLevel!: string;

  @Field(text({ max: 500 }), {
    description:
      'Reason given by the caller, the approval or AI job behind it, or the code of the refusal. Null once erased.',
    nullable: true,
  })
  reason!: string | null;

  @Field(anyObject({ type: 'object', additionalProperties: true }), {
    description: 'Old and new value of each changed field; `(erased)` once erased.',
    nullable: true,
  })
  changes!: object | null;

  @Field(text({ max: 128 }), { description: 'Id of the request.' })
  requestId!: string;

  @Field(text({ max: 64 }), { description: 'IP address of the client; null once erased.', nullable: true })
  clientIp!: string | null;

  @Field(text({ max: 500 }), { description: 'User agent of the client; null once erased.', nullable: true })
  userAgent!: string | null;

  @Field(instant(), {
    description: 'Time at which names, reasons and values were erased together with the person they refer to.',
    nullable: true,
  })
  erasedAt!: string | null;

  @Field(text({ max: 64, pattern: /^[0-9a-f]{64}$/, form: '64 hexadecimal digits in lower case' }), {
    description: 'SHA-256 of a zero byte and the stored entry: its leaf in the tenant’s Merkle tree (RFC 6962).',
    example: '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  })
  leafHash!: string;
}

export const auditList: ListOptions = {
  filters: {
    actorId: { ...filter.exact(text({ max: 64 }), true), person: true },
    actorType: filter.exact(text({ max: 20 })),
    action: filter.plain(text({ min: 1, max: 200 }), 'pattern', 't.action'),
    targetType: filter.exact(text({ max: 60 }), true),
    targetId: filter.exact(text({ max: 200 }), true),
    outcome: filter.exact(oneOf(OUTCOMES)),
    riskLevel: filter.exact(oneOf(RISK_LEVELS)),
    requestId: filter.exact(text({ max: 128 })),
    ip: filter.plain(text({ max: 64 }), 'eq', 't.client_ip'),
    from: filter.plain(instant(), 'gte', 't.occurred_at'),
    to: filter.plain(instant(), 'lt', 't.occurred_at'),
  },
  sorts: ['occurredAt'],
  defaultSort: '-occurredAt',
};

export const AuditLogQuery = listQuery('AuditLogQuery', auditList);
export const AuditLogPage = pageOf(AuditEntryView);
