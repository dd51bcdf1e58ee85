import {
  addFields,
  anyObject,
  constant,
  Field,
  id,
  instant,
  integer,
  listOf,
  nested,
  number,
  oneOf,
  text,
} from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';
import { DELIVERY_STATUSES, type DeliveryStatus, STATUS } from '#libs/webhooks/delivery-status.js';
import { DESTINATION_TYPE, OutboxDestination, OutboxEntry } from './outbox-entry.dto.js';

/** Maximum age for filters, which is the maximum retention. */
export const MAX_AGE_SECONDS = 366 * 86_400;
const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

export class OutboxDestinationSummary {
  @Field(nested(OutboxDestination), { description: 'The destination.' })
  destination!: OutboxDestination;

  @Field(integer(COUNT), {
    description: 'Deliveries waiting to be sent to it, queued or in flight.',
    example: 3,
  })
  waiting!: number;

  @Field(integer(COUNT), { description: 'Successful attempts within the last hour.', example: 118 })
  deliveredLastHour!: number;

  @Field(number({ min: 0, max: 1 }), {
    description: 'Share of failed attempts within the last hour, from 0 to 1; null without attempts.',
    example: 0.02,
    nullable: true,
  })
  failureRateLastHour!: number | null;
}

export class OutboxSummary {
  @Field(anyObject({ type: 'object', additionalProperties: { type: 'integer' } }), {
    description: 'All stored deliveries by status.',
    example: { pending: 2, in_flight: 1, retrying: 3, delivered: 1210, exhausted: 4, held: 0, skipped: 1 },
  })
  byStatus!: Record<DeliveryStatus, number>;

  @Field(integer(COUNT), {
    description: 'Age of the oldest pending delivery in seconds; null if there is none.',
    example: 2,
    nullable: true,
  })
  oldestPendingSeconds!: number | null;

  @Field(integer(COUNT), {
    description: 'Successful attempts in the current minute and the 59 before it.',
    example: 118,
  })
  deliveredLastHour!: number;

  @Field(number({ min: 0, max: 1 }), {
    description: 'Share of failed attempts in these minutes, from 0 to 1; null without attempts.',
    example: 0.02,
    nullable: true,
  })
  failureRateLastHour!: number | null;

  @Field(listOf(nested(OutboxDestinationSummary), { max: 10_000 }), {
    description: 'The same figures for each destination that has not been deleted.',
  })
  perDestination!: OutboxDestinationSummary[];
}

export const outboxList: ListOptions = {
  filters: {
    status: { ...filter.exact(oneOf(DELIVERY_STATUSES)), sql: STATUS },
    eventType: filter.exact(text({ min: 1, max: 128 })),
    destinationType: filter.plain(constant(DESTINATION_TYPE), 'eq', `'${DESTINATION_TYPE}'`),
    destinationId: { ...filter.exact(id()), sql: 't.endpoint_id' },
    subjectId: filter.exact(text({ min: 1, max: 200 })),
    from: filter.plain(instant(), 'gte', 't.created_at'),
    to: filter.plain(instant(), 'lt', 't.created_at'),
    olderThanSeconds: filter.plain(
      integer({ min: 0, max: MAX_AGE_SECONDS }),
      'gte',
      'extract(epoch from :now - t.created_at)',
    ),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const OutboxQuery = listQuery('OutboxQuery', outboxList);
addFields(OutboxQuery, [
  [
    'include',
    {
      kind: listOf(oneOf(['payload']), { min: 1, max: 1 }),
      description: 'Further data to include: `payload` adds the delivered body.',
      optional: true,
    },
  ],
]);

export class OutboxPage {
  @Field(listOf(nested(OutboxEntry), { max: 200 }), { description: 'The entries of this page, in order.' })
  data!: OutboxEntry[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;

  @Field(nested(OutboxSummary), {
    description: 'Figures of the whole outbox, regardless of filters; null after the first page.',
    nullable: true,
  })
  summary!: OutboxSummary | null;
}
