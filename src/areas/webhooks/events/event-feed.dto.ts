import { anyObject, Field, integer, listOf, nested, text } from '#libs/http/field.js';
import { PAGE_SIZE } from '#libs/resource/lists/page-query.js';
import { PageInfo } from '#libs/resource/types/record.dto.js';

/** Maximum number of events per page. */
export const MAX_EVENTS = 200;

const sequence = () => text({ min: 1, max: 18, pattern: /^[0-9]+$/ });

export class WebhookEventQuery {
  @Field(sequence(), {
    description: 'Events after this place in the sequence; from the oldest that is kept if not given.',
    example: '1041',
    optional: true,
  })
  after?: string;

  @Field(text({ min: 1, max: 4_000 }), {
    description: 'In place of `after`: `page.nextCursor` of the page before, with the same `eventTypes`.',
    optional: true,
  })
  cursor?: string;

  @Field(integer({ min: 1, max: MAX_EVENTS }), {
    description: `Largest number of events; ${PAGE_SIZE} if not given.`,
    optional: true,
  })
  limit?: number;

  @Field(listOf(text({ min: 1, max: 128 }), { min: 1, max: 50 }), {
    description: 'Only events of these types; patterns as in the `eventTypes` of an endpoint.',
    example: ['sales.deal.*'],
    optional: true,
  })
  eventTypes?: string[];
}

/** Position at the end of a page of events. */
export class WebhookEventPageInfo extends PageInfo {
  @Field(text({ max: 19 }), {
    description:
      'Pass it as `after` to go on, now or later. Events up to there have been looked at, also those of other types.',
    example: '1042',
  })
  nextAfter!: string;
}

export class WebhookEventPage {
  @Field(listOf(anyObject({ type: 'object', additionalProperties: true }), { max: MAX_EVENTS }), {
    description: 'The events in order, each as receivers of webhooks get it; see `/api/v1/developer/event-schema`.',
    example: [{ sequence: '1042', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20', type: 'sales.deal.won' }],
  })
  data!: object[];

  @Field(nested(WebhookEventPageInfo), { description: 'Paging information.' })
  page!: WebhookEventPageInfo;
}
