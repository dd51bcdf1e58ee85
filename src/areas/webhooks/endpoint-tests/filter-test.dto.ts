import { Field, flag, id, type Kind, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { isObject, FILTER_OPERATORS, MAX_CONDITIONS, type PayloadFilter } from '#libs/webhooks/relay/payload-filter.js';
import { payloadFilter } from '#libs/webhooks/relay/payload-filter-check.js';

/** An event of which only the data is used. */
export interface GivenEvent {
  data: object;
}

/** An event as receivers get it, or only its `data`. */
function event(): Kind {
  return {
    schema: {
      type: 'object',
      required: ['data'],
      properties: { data: { type: 'object', additionalProperties: true } },
      additionalProperties: true,
    },
    check: (value) => {
      if (!isObject(value)) return [{ code: 'invalid_type', detail: 'The value must be an object.' }];
      const { data } = value as { data?: unknown };
      if (data === undefined) return [{ code: 'required', detail: 'The field is required.', at: '/data' }];
      return isObject(data) ? [] : [{ code: 'invalid_type', detail: 'The value must be an object.', at: '/data' }];
    },
    parse: () => undefined,
  };
}

/** Any value of an event field. Only for responses. */
function anything(): Kind {
  const types = ['string', 'number', 'boolean', 'array', 'object', 'null'];
  return { schema: { type: types, items: {}, additionalProperties: true }, check: () => [], parse: () => undefined };
}

export class TestWebhookFilter {
  @Field(payloadFilter(), { description: 'Filter to test; the one of the endpoint if not given.', optional: true })
  filter?: PayloadFilter;

  @Field(id(), { description: 'An event of the tenant to test it on.', optional: true })
  eventId?: string;

  @Field(event(), {
    description: 'An event to test it on, as receivers get it; only its `data` counts.',
    example: { data: { valueMinor: 2_500_000 } },
    optional: true,
  })
  event?: GivenEvent;

  @Field(text({ min: 1, max: 128 }), {
    description: 'Event type whose example to test it on.',
    example: 'sales.deal.won',
    optional: true,
  })
  eventType?: string;
}

export class WebhookFilterCondition {
  @Field(text({ max: 100 }), { description: 'JSON pointer of the condition in the filter.', example: '/and/0' })
  pointer!: string;

  @Field(text({ max: 100 }), { description: 'Field of the `data` that it is about.', example: 'valueMinor' })
  field!: string;

  @Field(oneOf(FILTER_OPERATORS), { description: 'How it is compared.', example: 'gte' })
  op!: string;

  @Field(anything(), { description: 'Value for the comparison.', example: 1_000_000 })
  value!: unknown;

  @Field(flag(), { description: 'Whether the event has the field.' })
  present!: boolean;

  @Field(anything(), { description: 'Value in the event; long texts and lists are cut.', example: 2_500_000 })
  found!: unknown;

  @Field(flag(), { description: 'Whether the condition holds by itself.' })
  held!: boolean;
}

export class WebhookFilterTestResult {
  @Field(flag(), { description: 'Whether the filter lets the event pass; it does if there is none.' })
  matches!: boolean;

  @Field(listOf(nested(WebhookFilterCondition), { max: MAX_CONDITIONS }), {
    description: 'Each condition of the filter, whether or not it decided.',
  })
  conditions!: WebhookFilterCondition[];
}
