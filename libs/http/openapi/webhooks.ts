import { type EventType, statusOf } from '#libs/outbox/event-catalogue.js';
import { eventSchemaOn } from '#libs/outbox/event-schema.js';
import type { JsonSchema, ModelClass } from '../field.js';
import { inlineSchemaOf, modelBehind } from '../schema.js';
import type { Answer, Parameter, Reference } from './parts.js';

const REFERENCES = { envelope: '#/components/schemas/EventEnvelope', thinData: '#/components/schemas/ThinEventData' };

/** Responses of receivers, by the name of their component. */
export const WEBHOOK_ANSWERS: Record<string, Answer> = {
  Received: { description: 'Received. Answer quickly and do the work afterwards; the body is not looked at.' },
  ReceiverGone: { description: 'The receiver is gone: the endpoint is disabled at once.' },
  NotReceived: { description: 'Not received; tried again on the schedule.' },
  ReceiverUnavailable: {
    description: 'Not received; tried again on the schedule, after `Retry-After` if it is later.',
  },
};

function header(name: string, description: string, example: string, required = true): Parameter {
  return { name, in: 'header', required, description, schema: { type: 'string', examples: [example] } };
}

const TRACE = '00-019aa5f49a607d029b5e2f6f0f6a7c11-2f6f0f6a7c120001-01';
const HEX = '5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd';

/** Headers of a delivery, by the name of their component. */
export const WEBHOOK_PARAMETERS: Record<string, Parameter> = Object.fromEntries([
  header('x-service-signature', 'Lower-case hex HMAC-SHA256 of the raw body, keyed with the text of the secret.', HEX),
  header('x-service-signature-previous', 'The same with the previous secret, while that is still valid.', HEX, false),
  header('x-service-key-id', 'Which secret is the current one: 16 hex digits that do not tell it.', '3bb220799a89f941'),
  header('x-service-event', 'Event type.', 'sales.deal.won'),
  header('x-service-event-version', 'Version of its schema.', '1'),
  header('x-service-delivery', 'Id of this event for this endpoint.', '019aa5f4-9a61-7d02-9b5e-2f6f0f6a7c12'),
  header('x-service-attempt', 'Number of this attempt, from 1.', '1'),
  header('x-service-replay', 'Present and `true` when somebody asked for it to be sent again.', 'true', false),
  header('traceparent', 'W3C Trace Context: the trace of the request that caused the event, with a span for each attempt.', TRACE),
  header('user-agent', 'What sends.', 'tenant-operating-platform-webhooks/1.0'),
  header('webhook-id', 'Id of the event, the same on every attempt and replay: use it to drop repeats.', 'evt'),
  header('webhook-timestamp', 'Time of the attempt in Unix seconds; refuse what is older than five minutes.', '1795252502'),
  header('webhook-signature', 'Standard Webhooks signatures, separated by a space while two secrets are valid.', 'v1,g0hM9SsE='),
].map((parameter) => [`Webhook-${parameter.name}`, parameter]));

/** The `webhooks` section, by name. */
export type Hooks = Record<
  string,
  {
    post: {
      requestBody: {
        content: { 'application/json': { schema: { properties?: Record<string, JsonSchema>; [keyword: string]: unknown } } };
        required: true;
      };
      operationId: string;
      responses: Record<string, Reference>;
      [member: string]: unknown;
    };
  }
>;

/**
 * The model of each event's data: one of the API's `models` if that says the same, else its own. Data that was declared
 * as a schema has none.
 */
export function eventModels(events: readonly EventType[], models: Iterable<ModelClass>): Map<EventType, ModelClass> {
  const known = new Map([...new Set(models)].map((model) => [JSON.stringify(inlineSchemaOf(model)), model]));
  return new Map(
    events.flatMap((event): [EventType, ModelClass][] => {
      const model = known.get(JSON.stringify(event.data)) ?? modelBehind(event.data);
      return model ? [[event, model]] : [];
    }),
  );
}

/**
 * The `webhooks` section: `*` for all events, and one entry per version of each event, by name; version 1 has the
 * plain type. Data with a model refers to its component.
 */
export function webhooksOf(events: readonly EventType[], models: ReadonlyMap<EventType, ModelClass>): Hooks {
  const hooks = events.map((event): [string, Hooks[string]] => {
    const model = models.get(event);
    const data = model ? { $ref: `#/components/schemas/${model.name}` } : event.data;
    return [event.version === 1 ? event.type : `${event.type}.v${event.version}`, hook({ ...event, data })];
  });
  return { '*': ANY_EVENT, ...Object.fromEntries(hooks) };
}

/** What all deliveries have in common: headers, and the meaning of a receiver's responses. */
const ANY_EVENT: Hooks[string] = {
  post: {
    operationId: 'webhook.any',
    summary: 'An event of any type.',
    description: 'The headers of every delivery, and what your answers mean. The entries of the types say what is in the body.',
    tags: ['webhooks'],
    security: [],
    parameters: Object.keys(WEBHOOK_PARAMETERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema: { $ref: REFERENCES.envelope } } } },
    responses: {
      '2XX': { $ref: '#/components/responses/Received' },
      '410': { $ref: '#/components/responses/ReceiverGone' },
      '4XX': { $ref: '#/components/responses/NotReceived' },
      '5XX': { $ref: '#/components/responses/ReceiverUnavailable' },
    },
  },
};

function hook(event: EventType): Hooks[string] {
  const { type, version, description } = event;
  return {
    post: {
      operationId: `webhook.${type}.v${version}`,
      summary: version === 1 ? type : `${type} v${version}`,
      description,
      tags: ['webhooks'],
      ...(statusOf(event) === 'deprecated' ? { deprecated: true } : {}),
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema: eventSchemaOn(REFERENCES, event) } } },
      responses: { '2XX': { $ref: '#/components/responses/Received' } },
    },
  };
}
