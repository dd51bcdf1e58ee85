import { anyObject, constant, Field, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { DELIVERY_STATUSES, DELIVERY_TYPE, type DeliveryStatus } from '#libs/webhooks/delivery-status.js';

/** The only kind of destination for events outside the platform. */
export const DESTINATION_TYPE = 'webhook';

const COUNT = { min: 0, max: 2_147_483_647 };

export class OutboxSubject {
  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'sales.deal' })
  type!: string;

  @Field(text({ max: 200 }), { description: 'Id of the record.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' })
  id!: string;
}

export class OutboxDestination {
  @Field(constant(DESTINATION_TYPE), { description: 'Kind of destination.', example: DESTINATION_TYPE })
  type!: string;

  @Field(id(), { description: 'Id of the webhook endpoint.' })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Host of the endpoint.', example: 'hooks.example.com' })
  name!: string;
}

export class OutboxAttempt {
  @Field(instant(), { description: 'Time at which the attempt started.' })
  at!: string;

  @Field(integer({ min: 100, max: 999 }), { description: 'HTTP status of the response.', example: 200, nullable: true })
  httpStatus!: number | null;

  @Field(integer(COUNT), { description: 'Duration, ms.', example: 84 })
  latencyMs!: number;

  @Field(text({ max: 40 }), { description: 'Reason for the failure.', example: 'timeout', nullable: true })
  error!: string | null;

  @Field(text({ max: 16_384 }), { description: 'Beginning of the response body.', nullable: true })
  responseExcerpt!: string | null;
}

/** One event for one destination. */
export class OutboxEntry {
  @Field(id(), { description: 'Id of the delivery (`x-service-delivery`).' })
  id!: string;

  @Field(constant(DELIVERY_TYPE), { description: 'Type of the record.', example: DELIVERY_TYPE })
  object!: string;

  @Field(text({ max: 19 }), { description: 'Sequence number of the event in the tenant.', example: '1042' })
  seq!: string;

  @Field(id(), { description: 'Event that is delivered (`webhook-id`).' })
  eventId!: string;

  @Field(text({ max: 128 }), { description: 'Event type.', example: 'sales.deal.won' })
  eventType!: string;

  @Field(nested(OutboxSubject), { description: 'Record that the event is about.' })
  subject!: OutboxSubject;

  @Field(nested(OutboxDestination), { description: 'Destination of the delivery.' })
  destination!: OutboxDestination;

  @Field(oneOf(DELIVERY_STATUSES), {
    description: 'Status, as in the deliveries of an endpoint.',
    example: 'delivered',
  })
  status!: DeliveryStatus;

  @Field(integer(COUNT), { description: 'Scheduled attempts made in this generation.', example: 1 })
  attempts!: number;

  @Field(integer(COUNT), { description: 'Number of attempts in the schedule.', example: 15 })
  maxAttempts!: number;

  @Field(instant(), { description: 'Time at which the next attempt is due.', nullable: true })
  nextAttemptAt!: string | null;

  @Field(instant(), {
    description: 'Time at which the worker’s lease expires, while the delivery is in flight.',
    nullable: true,
  })
  leaseUntil!: string | null;

  @Field(nested(OutboxAttempt), { description: 'The last attempt, whether scheduled or not.', nullable: true })
  lastAttempt!: OutboxAttempt | null;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Increases by one with each replay and recovery.',
    example: 1,
  })
  generation!: number;

  @Field(text({ max: 500 }), { description: 'Reason for skipping it.', nullable: true })
  skipReason!: string | null;

  @Field(instant(), { description: 'Time at which the delivery was created.' })
  createdAt!: string;

  @Field(instant(), { description: 'Time at which it was delivered.', nullable: true })
  deliveredAt!: string | null;

  @Field(anyObject({ type: 'object', additionalProperties: true }), {
    description: 'Payload of the delivery; null unless you send `include=payload`.',
    nullable: true,
  })
  payload!: object | null;
}
