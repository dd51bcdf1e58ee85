import {
  anyObject,
  constant,
  Field,
  flag,
  id,
  instant,
  integer,
  listOf,
  nested,
  oneOf,
  text,
} from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { ActorView, pageOf } from '#libs/resource/types/record.dto.js';
import { RECOVERABLE, type Recoverable } from '#libs/webhooks/recovery/recovery-window.js';

/** Type key of a recovery. */
export const RECOVERY_TYPE = 'webhook.recovery';
/** Default selection: everything that was not delivered and would not be without a recovery. */
export const USUAL: readonly Recoverable[] = ['held', 'exhausted', 'skipped', 'never_attempted'];

const STATUSES = ['counting', 'running', 'completed', 'cancelled'] as const;
const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };
const patterns = () => listOf(text({ min: 1, max: 128 }), { min: 1, max: 50, unique: true });
const statuses = () => listOf(oneOf(RECOVERABLE), { min: 1, max: RECOVERABLE.length, unique: true });

export class RecoverWebhookEndpoint {
  @Field(instant(), {
    description: 'Events that occurred at this time or later. Not before the oldest event that is kept.',
    example: '2026-11-20T08:00:00.000Z',
  })
  since!: string;

  @Field(instant(), { description: 'Events that occurred before this time; now if not given.', optional: true })
  until?: string;

  @Field(statuses(), {
    description: `Statuses of the deliveries to resend; never_attempted adds events that the endpoint would get today and has no delivery of. ${USUAL.join(', ')} if not given.`,
    example: ['exhausted', 'never_attempted'],
    optional: true,
  })
  statuses?: Recoverable[];

  @Field(patterns(), {
    description: 'Only events of these types; patterns as in the endpoint’s `eventTypes`.',
    example: ['sales.deal.*'],
    optional: true,
  })
  eventTypes?: string[];

  @Field(flag(), { description: 'Only count what would be recovered: the job sends nothing.', optional: true })
  dryRun?: boolean;
}

/** A recovery with its progress. */
export class WebhookRecovery {
  @Field(id(), { description: 'Id of the recovery.' })
  id!: string;

  @Field(constant(RECOVERY_TYPE), { description: 'Type of the record.', example: RECOVERY_TYPE })
  object!: string;

  @Field(id(), { description: 'Endpoint that it is for.' })
  endpointId!: string;

  @Field(instant(), { description: 'Beginning of the time.' })
  since!: string;

  @Field(instant(), { description: 'End of the time.' })
  until!: string;

  @Field(statuses(), { description: 'Deliveries that are resent.', example: USUAL })
  statuses!: Recoverable[];

  @Field(patterns(), { description: 'Only events of these types; null for all.', nullable: true })
  eventTypes!: string[] | null;

  @Field(id(), {
    description: 'Job that carries it out; see `/api/operations/jobs/{id}`. Null if it was completed in the request.',
    nullable: true,
  })
  jobId!: string | null;

  @Field(oneOf(STATUSES), {
    description:
      'counting what there is, running (sending it; not with dryRun), completed, or cancelled: by a caller, or because the endpoint was deleted.',
    example: 'running',
  })
  status!: (typeof STATUSES)[number];

  @Field(flag(), { description: 'Whether it only counts.', example: false })
  dryRun!: boolean;

  @Field(integer(COUNT), {
    description: 'Events of that time that have been counted: all of them unless the status is counting.',
    example: 1253,
  })
  counted!: number;

  @Field(anyObject({ type: 'object', additionalProperties: { type: 'integer' } }), {
    description:
      'What has become of them for the endpoint, as they were counted. never_attempted is counted before the endpoint’s `filter` is applied, which a recovery does event by event.',
    example: { held: 0, exhausted: 40, skipped: 0, retrying: 1, delivered: 1210, never_attempted: 2 },
  })
  byStatus!: Record<Recoverable, number>;

  @Field(integer(COUNT), { description: 'How many of them it is to send.', example: 42 })
  matched!: number;

  @Field(integer(COUNT), { description: 'Counted events that it has looked at to send them.', example: 500 })
  examined!: number;

  @Field(integer(COUNT), { description: 'Deliveries that have been put into the queue, or are held.', example: 40 })
  recovered!: number;

  @Field(instant(), { description: 'Time at which it was asked for.' })
  createdAt!: string;

  @Field(instant(), { description: 'Time at which it last went on.' })
  updatedAt!: string;

  @Field(instant(), { description: 'Time at which it ended.', nullable: true })
  finishedAt!: string | null;

  @Field(nested(ActorView), { description: 'Requester.' })
  createdBy!: ActorView;
}

export const recoveryList: ListOptions = {
  filters: { status: filter.exact(oneOf(STATUSES)), createdAt: filter.ordered(instant()) },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const WebhookRecoveryQuery = listQuery('WebhookRecoveryQuery', recoveryList);
export const WebhookRecoveryPage = pageOf(WebhookRecovery);
