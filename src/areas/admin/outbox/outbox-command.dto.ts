import { Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '#libs/webhooks/delivery-status.js';
import { MAX_AGE_SECONDS } from './outbox-list.dto.js';

/** Most deliveries that one request moves, so that its transaction stays short. */
export const MAX_MOVED = 10_000;

export const OUTBOX_ACTIONS = ['publish_test', 'dispatch_now', 'replay', 'skip'] as const;
export type OutboxAction = (typeof OUTBOX_ACTIONS)[number];

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };
const reason = () => text({ min: 1, max: 500, pattern: /\S/ });

export class ReplayOutboxEntry {
  @Field(reason(), { description: 'Why, for the audit log.', example: 'Lost by the receiver', optional: true })
  reason?: string;

  @Field(id(), {
    description: 'Webhook endpoint that gets the event instead, also if it never did; its own if not given.',
    optional: true,
  })
  destinationId?: string;
}

export class SkipOutboxEntry {
  @Field(reason(), { description: 'Why, for the audit log and the entry.', example: 'Superseded' })
  reason!: string;
}

export class OutboxFilter {
  @Field(listOf(oneOf(DELIVERY_STATUSES), { min: 1, max: DELIVERY_STATUSES.length, unique: true }), {
    description: 'Entries with one of these statuses.',
    example: ['exhausted'],
    optional: true,
  })
  status?: DeliveryStatus[];

  @Field(text({ min: 1, max: 128 }), {
    description: 'Entries of this event type.',
    example: 'sales.deal.won',
    optional: true,
  })
  eventType?: string;

  @Field(id(), { description: 'Entries for this destination.', optional: true })
  destinationId?: string;

  @Field(text({ min: 1, max: 200 }), { description: 'Entries about this record.', optional: true })
  subjectId?: string;

  @Field(integer({ min: 0, max: MAX_AGE_SECONDS }), {
    description: 'Entries that were made so long ago or earlier.',
    optional: true,
  })
  olderThanSeconds?: number;
}

export class OutboxCommand {
  @Field(oneOf(OUTBOX_ACTIONS), {
    description:
      'publish_test sends an example to an endpoint once and waits for the answer (what is done if only an endpoint is given); dispatch_now has entries that wait for their next attempt make it now; replay begins entries again, with all attempts; skip gives entries up.',
    example: 'replay',
    optional: true,
  })
  action?: OutboxAction;

  @Field(id(), {
    description: 'publish_test: the endpoint. Otherwise only entries for it, as `filter.destinationId`.',
    optional: true,
  })
  endpointId?: string;

  @Field(text({ min: 1, max: 128 }), {
    description: 'publish_test: event type whose example is sent; `webhook.ping` if not given.',
    optional: true,
  })
  eventType?: string;

  @Field(listOf(id(), { min: 1, max: 1_000, unique: true }), { description: 'Only these entries.', optional: true })
  ids?: string[];

  @Field(nested(OutboxFilter), {
    description: 'Only entries for which all of this holds.',
    example: { status: ['exhausted'] },
    optional: true,
  })
  filter?: OutboxFilter;

  @Field(instant(), { description: 'Only entries that were made at this time or later.', optional: true })
  from?: string;

  @Field(instant(), { description: 'Only entries that were made before this time.', optional: true })
  to?: string;

  @Field(integer({ min: 1, max: MAX_MOVED }), {
    description: `Most entries that are moved, the oldest first; ${MAX_MOVED} if not given. Ask again for the rest.`,
    optional: true,
  })
  limit?: number;

  @Field(reason(), { description: 'Why, for the audit log; skip needs it.', optional: true })
  reason?: string;

  @Field(flag(), { description: 'Only count.', optional: true })
  dryRun?: boolean;
}

/** What came of a test. */
export class OutboxTest {
  @Field(flag(), { description: 'Whether the endpoint answered with 2xx.' })
  delivered!: boolean;

  @Field(integer({ min: 100, max: 999 }), { description: 'Status of the answer.', example: 200, nullable: true })
  httpStatus!: number | null;

  @Field(integer(COUNT), { description: 'How long the attempt took, ms.', example: 84 })
  durationMs!: number;

  @Field(text({ max: 40 }), { description: 'Why it failed.', example: 'timeout', nullable: true })
  error!: string | null;

  @Field(text({ max: 64 }), { description: 'Code of the system behind the error.', nullable: true })
  errorDetail!: string | null;

  @Field(text({ max: 16_384 }), { description: 'Beginning of the answer’s body.', nullable: true })
  responseExcerpt!: string | null;

  @Field(id(), { description: 'Id of the event that was sent (`webhook-id`).' })
  eventId!: string;
}

export class OutboxCommandResult {
  @Field(integer(COUNT), {
    description: 'Entries that were meant and are in a state that the action takes.',
    example: 42,
  })
  matched!: number;

  @Field(integer(COUNT), {
    description: 'Of those, how many were moved; with dryRun, how many would have been.',
    example: 42,
  })
  affected!: number;

  @Field(nested(OutboxTest), { description: 'publish_test: what came of it.', nullable: true })
  test!: OutboxTest | null;
}
