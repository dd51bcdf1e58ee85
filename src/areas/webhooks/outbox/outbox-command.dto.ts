import { command } from '#libs/http/command.js';
import { Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '#libs/webhooks/delivery-status.js';
import { MAX_AGE_SECONDS } from './outbox-list.dto.js';

/** Maximum number of deliveries changed by one request, to keep its transaction short. */
export const MAX_MOVED = 10_000;

export const OUTBOX_ACTIONS = ['publish_test', 'dispatch_now', 'replay', 'skip'] as const;
export type OutboxAction = (typeof OUTBOX_ACTIONS)[number];

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };
const reason = () => text({ min: 1, max: 500, pattern: /\S/ });

export class ReplayOutboxEntry {
  @Field(reason(), { description: 'Reason, for the audit log.', example: 'Lost by the receiver', optional: true })
  reason?: string;

  @Field(id(), {
    description:
      'Webhook endpoint that gets the event instead, even if it was not subscribed; defaults to the original endpoint.',
    optional: true,
  })
  destinationId?: string;
}

export class SkipOutboxEntry {
  @Field(reason(), { description: 'Reason, for the audit log and the entry.', example: 'Superseded' })
  reason!: string;
}

export class OutboxFilter {
  @Field(listOf(oneOf(DELIVERY_STATUSES), { min: 1, max: DELIVERY_STATUSES.length, unique: true }), {
    description: 'Only entries with one of these statuses.',
    example: ['exhausted'],
    optional: true,
  })
  status?: DeliveryStatus[];

  @Field(text({ min: 1, max: 128 }), {
    description: 'Only entries of this event type.',
    example: 'sales.deal.won',
    optional: true,
  })
  eventType?: string;

  @Field(id(), { description: 'Only entries for this destination.', optional: true })
  destinationId?: string;

  @Field(text({ min: 1, max: 200 }), { description: 'Only entries about this record.', optional: true })
  subjectId?: string;

  @Field(integer({ min: 0, max: MAX_AGE_SECONDS }), {
    description: 'Only entries that are at least this old.',
    optional: true,
  })
  olderThanSeconds?: number;
}

export class OutboxCommand {
  @Field(oneOf(OUTBOX_ACTIONS), {
    description:
      '`publish_test` sends an example event to an endpoint once and waits for the response (default if only an endpoint is given); `dispatch_now` makes the next attempt of waiting entries immediately; `replay` restarts entries with all attempts; `skip` abandons entries.',
    example: 'replay',
    optional: true,
  })
  action?: OutboxAction;

  @Field(id(), {
    description: 'For `publish_test`: the endpoint. Otherwise selects entries for it, as `filter.destinationId`.',
    optional: true,
  })
  endpointId?: string;

  @Field(text({ min: 1, max: 128 }), {
    description: 'For `publish_test`: event type of the example; defaults to `webhook.ping`.',
    optional: true,
  })
  eventType?: string;

  @Field(listOf(id(), { min: 1, max: 1_000, unique: true }), { description: 'Only these entries.', optional: true })
  ids?: string[];

  @Field(nested(OutboxFilter), {
    description: 'Only entries that match all of these conditions.',
    example: { status: ['exhausted'] },
    optional: true,
  })
  filter?: OutboxFilter;

  @Field(instant(), { description: 'Only entries created at or after this time.', optional: true })
  from?: string;

  @Field(instant(), { description: 'Only entries created before this time.', optional: true })
  to?: string;

  @Field(integer({ min: 1, max: MAX_MOVED }), {
    description: `Maximum number of entries to change, oldest first; defaults to ${MAX_MOVED}. Repeat the request for the rest.`,
    optional: true,
  })
  limit?: number;

  @Field(reason(), { description: 'Reason, for the audit log; required for `skip`.', optional: true })
  reason?: string;

  @Field(flag(), { description: 'Only count the entries.', optional: true })
  dryRun?: boolean;
}

const SELECTION = ['ids', 'filter', 'from', 'to', 'endpointId'];
const MOVE = { takes: [...SELECTION, 'limit', 'reason'] };

export const outboxCommand = command<OutboxAction>(
  OutboxCommand,
  {
    publish_test: { needs: ['endpointId'], takes: ['eventType', 'reason'] },
    dispatch_now: MOVE,
    replay: MOVE,
    skip: { needs: ['reason'], takes: [...SELECTION, 'limit'] },
  },
  { by: 'action', otherwise: impliedAction, checkedBy: 'service' },
);

/** Only an endpoint is given. */
function impliedAction({ endpointId, ...others }: Partial<OutboxCommand>): OutboxAction | undefined {
  const isAlone = SELECTION.every((member) => others[member as keyof typeof others] === undefined);
  return endpointId !== undefined && isAlone ? 'publish_test' : undefined;
}

/** Result of a test. */
export class OutboxTest {
  @Field(flag(), { description: 'Whether the endpoint answered with 2xx.' })
  delivered!: boolean;

  @Field(integer({ min: 100, max: 999 }), { description: 'HTTP status of the response.', example: 200, nullable: true })
  httpStatus!: number | null;

  @Field(integer(COUNT), { description: 'Duration of the attempt, ms.', example: 84 })
  durationMs!: number;

  @Field(text({ max: 40 }), { description: 'Reason for the failure.', example: 'timeout', nullable: true })
  error!: string | null;

  @Field(text({ max: 64 }), { description: 'System error code behind the failure.', nullable: true })
  errorDetail!: string | null;

  @Field(text({ max: 16_384 }), { description: 'Beginning of the response body.', nullable: true })
  responseExcerpt!: string | null;

  @Field(id(), { description: 'Id of the event that was sent (`webhook-id`).' })
  eventId!: string;
}

export class OutboxCommandResult {
  @Field(integer(COUNT), {
    description: 'Number of selected entries whose state allows the action.',
    example: 42,
  })
  matched!: number;

  @Field(integer(COUNT), {
    description: 'Number of entries changed; with `dryRun`, the number that would be changed.',
    example: 42,
  })
  affected!: number;

  @Field(nested(OutboxTest), { description: 'For `publish_test`: the result.', nullable: true })
  test!: OutboxTest | null;
}
