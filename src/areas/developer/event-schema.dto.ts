import { anyObject, Field, flag, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { EVENT_TYPE_STATUSES } from '#libs/outbox/event-catalogue.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';

const MAX_ENTRIES = 10_000;

export class EventSchemaQuery extends PageQuery {
  @Field(text({ min: 1, max: 128 }), {
    description: 'Only this event type.',
    example: 'sales.deal.won',
    optional: true,
  })
  type?: string;

  @Field(integer({ min: 1, max: 1_000 }), { description: 'Only this version.', optional: true })
  version?: number;

  @Field(flag(), {
    description: 'True for a short list, without `schema` and `example`.',
    optional: true,
  })
  brief?: boolean;
}

export class EventSchema {
  @Field(text({ max: 128 }), { description: 'Event type.', example: 'sales.deal.won' })
  type!: string;

  @Field(text({ max: 128 }), {
    description: 'Area that emits the event, for grouping in lists.',
    example: 'sales',
  })
  group!: string;

  @Field(integer({ min: 1, max: 1_000 }), { description: 'Version of its schema.', example: 1 })
  version!: number;

  @Field(text({ max: 500 }), { description: 'When the event occurs, as a sentence.', example: 'A deal was won.' })
  description!: string;

  @Field(flag(), { description: 'True if the event type is deprecated, as in `status`.', example: false })
  deprecated!: boolean;

  @Field(oneOf(EVENT_TYPE_STATUSES), {
    description: '`current` or `deprecated`. New receivers should use a version that is not deprecated.',
    example: 'current',
  })
  status!: (typeof EVENT_TYPE_STATUSES)[number];

  @Field(instant(), { description: 'Time of the deprecation.', nullable: true })
  deprecatedAt!: string | null;

  @Field(instant(), {
    description:
      'Earliest time at which it may no longer be sent, at least 12 months after `deprecatedAt`. Null while undecided.',
    nullable: true,
  })
  sunsetAt!: string | null;

  @Field(anyObject(), {
    description: 'JSON Schema (2020-12) of the whole event; absent with `brief`.',
    optional: true,
    example: { title: 'sales.deal.won v1', type: 'object' },
  })
  schema?: object;

  @Field(anyObject(), {
    description: 'An event that matches the schema; absent with `brief`.',
    optional: true,
    example: { sequence: '42', type: 'sales.deal.won', schemaVersion: 1 },
  })
  example?: object;
}

export class EventSchemaList {
  @Field(listOf(nested(EventSchema), { max: MAX_ENTRIES }), { description: 'The event types, by name and version.' })
  data!: EventSchema[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;
}
