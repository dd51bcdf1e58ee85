import { constant, Field, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/list-query.js';
import { pageOf } from '#libs/resource/record.dto.js';

/** Type key of a delivery. */
export const DELIVERY_TYPE = 'webhook.delivery';

export const DELIVERY_STATUSES = [
  'pending',
  'in_flight',
  'retrying',
  'delivered',
  'exhausted',
  'held',
  'skipped',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const MAX_ATTEMPTS_SHOWN = 1_000;

export class WebhookAttemptView {
  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Number of the attempt (`x-service-attempt`).',
    example: 1,
  })
  number!: number;

  @Field(instant(), { description: 'When it began.' })
  startedAt!: string;

  @Field(integer({ min: 0, max: 2_147_483_647 }), { description: 'How long it took.', example: 84 })
  durationMs!: number;

  @Field(integer({ min: 100, max: 999 }), { description: 'Status of the answer.', example: 200, nullable: true })
  httpStatus!: number | null;

  @Field(text({ max: 40 }), { description: 'Why it failed.', example: 'timeout', nullable: true })
  error!: string | null;

  @Field(text({ max: 64 }), {
    description: 'Code of the system behind the error.',
    example: 'ECONNREFUSED',
    nullable: true,
  })
  errorDetail!: string | null;
}

export class WebhookAttemptWithAnswer extends WebhookAttemptView {
  @Field(text({ max: 16_384 }), { description: 'Beginning of the answer’s body.', nullable: true })
  responseExcerpt!: string | null;
}

/** What a delivery shows besides its attempts. */
abstract class WebhookDeliveryFields {
  @Field(id(), { description: 'Id of the delivery (`x-service-delivery`).' })
  id!: string;

  @Field(constant(DELIVERY_TYPE), { description: 'Type of the record.', example: DELIVERY_TYPE })
  object!: string;

  @Field(id(), { description: 'Endpoint that it is for.' })
  endpointId!: string;

  @Field(id(), { description: 'Event that is delivered (`webhook-id`).' })
  eventId!: string;

  @Field(text({ max: 128 }), { description: 'Its type.', example: 'sales.deal.won' })
  eventType!: string;

  @Field(oneOf(DELIVERY_STATUSES), {
    description:
      'pending before the first attempt, in_flight during one, retrying between two; held while the endpoint is paused or disabled; delivered, exhausted (no attempt left) and skipped are final.',
    example: 'delivered',
  })
  status!: DeliveryStatus;

  @Field(integer({ min: 0, max: 2_147_483_647 }), { description: 'Attempts made so far.', example: 1 })
  attemptCount!: number;

  @Field(instant(), { description: 'When the next attempt is due.', nullable: true })
  nextAttemptAt!: string | null;

  @Field(instant(), { description: 'When the event met the endpoint.' })
  createdAt!: string;

  @Field(instant(), { description: 'When the endpoint took it.', nullable: true })
  deliveredAt!: string | null;
}

export class WebhookDeliveryView extends WebhookDeliveryFields {
  @Field(listOf(nested(WebhookAttemptView), { max: MAX_ATTEMPTS_SHOWN }), { description: 'The attempts in order.' })
  attempts!: WebhookAttemptView[];
}

export class WebhookDeliveryWithAnswers extends WebhookDeliveryFields {
  @Field(listOf(nested(WebhookAttemptWithAnswer), { max: MAX_ATTEMPTS_SHOWN }), {
    description: 'The attempts in order, with what was answered.',
  })
  attempts!: WebhookAttemptWithAnswer[];
}

export const deliveryList: ListOptions = {
  filters: {
    status: filter.exact(oneOf(DELIVERY_STATUSES)),
    eventType: filter.exact(text({ min: 1, max: 128 })),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const WebhookDeliveryQuery = listQuery('WebhookDeliveryQuery', deliveryList);
export const WebhookDeliveryPage = pageOf(WebhookDeliveryView);
