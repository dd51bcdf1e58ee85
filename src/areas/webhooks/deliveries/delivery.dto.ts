import { constant, Field, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/lists/list-query.js';
import { pageOf } from '#libs/resource/types/record.dto.js';
import { WebhookAttemptView, WebhookAttemptWithAnswer } from './delivery-attempt.dto.js';
import { DELIVERY_STATUSES, DELIVERY_TYPE, type DeliveryStatus, STATUS } from '#libs/webhooks/delivery-status.js';

const MAX_ATTEMPTS_SHOWN = 1_000;
const COUNT = { min: 0, max: 2_147_483_647 };

/** Fields of a delivery besides its attempts. */
export abstract class WebhookDeliveryFields {
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

  @Field(text({ max: 19 }), { description: 'Its place in the sequence of the tenant.', example: '1042' })
  sequence!: string;

  @Field(oneOf(DELIVERY_STATUSES), {
    description:
      'pending before the first attempt, in_flight during one, retrying between two; held while the endpoint is paused or disabled; delivered; exhausted when no attempt is left; skipped when it was given up.',
    example: 'delivered',
  })
  status!: DeliveryStatus;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Increases by one each time a replay or recovery restarts the attempts.',
    example: 1,
  })
  generation!: number;

  @Field(integer(COUNT), { description: 'Attempts of the schedule that were made in this generation.', example: 1 })
  attemptsUsed!: number;

  @Field(integer(COUNT), { description: 'Attempts made so far, in all.', example: 1 })
  attemptCount!: number;

  @Field(instant(), { description: 'Time at which the next attempt is due.', nullable: true })
  nextAttemptAt!: string | null;

  @Field(text({ max: 500 }), { description: 'Why it was given up.', nullable: true })
  skipReason!: string | null;

  @Field(instant(), { description: 'Time at which the event met the endpoint.' })
  createdAt!: string;

  @Field(instant(), { description: 'Time at which the endpoint took it.', nullable: true })
  deliveredAt!: string | null;
}

export class WebhookDeliveryView extends WebhookDeliveryFields {
  @Field(listOf(nested(WebhookAttemptView), { max: MAX_ATTEMPTS_SHOWN }), { description: 'The attempts in order.' })
  attempts!: WebhookAttemptView[];
}

export class WebhookDeliveryWithAnswers extends WebhookDeliveryFields {
  @Field(listOf(nested(WebhookAttemptWithAnswer), { max: MAX_ATTEMPTS_SHOWN }), {
    description: 'The attempts in order, with their responses; at most the newest 100.',
  })
  attempts!: WebhookAttemptWithAnswer[];
}

export const deliveryList: ListOptions = {
  filters: {
    status: { ...filter.exact(oneOf(DELIVERY_STATUSES)), sql: STATUS },
    eventType: filter.exact(text({ min: 1, max: 128 })),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const WebhookDeliveryQuery = listQuery('WebhookDeliveryQuery', deliveryList);
export const WebhookDeliveryPage = pageOf(WebhookDeliveryView);
