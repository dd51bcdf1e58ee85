import { constant, Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/list-query.js';
import { ActorView, mergePatchOf, pageOf } from '#libs/resource/record.dto.js';
import {
  DISABLED_REASONS,
  type DisabledReason,
  ENDPOINT_STATUSES,
  ENDPOINT_TYPE,
  type EndpointStatus,
} from './endpoint.lifecycle.js';

/** Longest grace of a rotated secret, and what it is unless the caller says otherwise: 7 days. */
export const GRACE_SECONDS = 604_800;
/** How long an endpoint may take to answer unless the caller says otherwise. */
export const TIMEOUT_MS = 15_000;

const URL_EXAMPLE = 'https://hooks.example.com/platform';
const SECRET_EXAMPLE = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

const url = () => text({ min: 1, max: 2_048 });
const eventTypes = () => listOf(text({ min: 1, max: 128 }), { min: 1, max: 100, unique: true });
const timeoutMs = () => integer({ min: 1_000, max: 30_000 });
const secret = () => text({ max: 60, pattern: /^whsec_[A-Za-z0-9+/]{43}=$/ });
const eventType = () => text({ min: 1, max: 128 });

export class CreateWebhookEndpoint {
  @Field(url(), {
    description:
      'Where events are sent: `https:`, a public host name, port 443 or above 1023, no user name, no fragment.',
    example: URL_EXAMPLE,
  })
  url!: string;

  @Field(eventTypes(), {
    description: 'Event types to send: exact ones, `sales.deal.*`, `sales.*` or `*`.',
    example: ['sales.deal.created', 'sales.deal.won'],
  })
  eventTypes!: string[];

  @Field(text({ max: 500 }), { description: 'What it is for.', example: 'Billing', optional: true, nullable: true })
  description!: string | null;

  @Field(timeoutMs(), {
    description: `Longest time for an attempt, answer included; ${TIMEOUT_MS} if not given.`,
    example: TIMEOUT_MS,
    optional: true,
  })
  timeoutMs!: number;
}

export const UpdateWebhookEndpoint = mergePatchOf('UpdateWebhookEndpoint', CreateWebhookEndpoint);

export class WebhookEndpointView {
  @Field(id(), { description: 'Id of the endpoint (UUIDv7).', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30' })
  id!: string;

  @Field(constant(ENDPOINT_TYPE), { description: 'Type of the record.', example: ENDPOINT_TYPE })
  object!: string;

  @Field(url(), { description: 'Where events are sent.', example: URL_EXAMPLE })
  url!: string;

  @Field(text({ max: 500 }), { description: 'What it is for.', example: 'Billing', nullable: true })
  description!: string | null;

  @Field(eventTypes(), { description: 'Event types that are sent.', example: ['sales.deal.created', 'sales.deal.won'] })
  eventTypes!: string[];

  @Field(oneOf(ENDPOINT_STATUSES), {
    description: 'While it is paused or disabled, events are held for it.',
    example: 'enabled',
  })
  status!: EndpointStatus;

  @Field(oneOf(DISABLED_REASONS), {
    description: 'Why it is disabled: on request, or it answered 410.',
    nullable: true,
  })
  disabledReason!: DisabledReason | null;

  @Field(timeoutMs(), { description: 'Longest time for an attempt, answer included.', example: TIMEOUT_MS })
  timeoutMs!: number;

  @Field(instant(), {
    description:
      'Until when deliveries are also signed with the secret before the current one; null if it was never rotated.',
    nullable: true,
  })
  previousSecretExpiresAt!: string | null;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Rises by one with each change; also the ETag.',
    example: 1,
  })
  version!: number;

  @Field(instant(), { description: 'When it was made.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'When it last changed.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;

  @Field(nested(ActorView), { description: 'Who made it.' })
  createdBy!: ActorView;

  @Field(nested(ActorView), { description: 'Who changed it last.' })
  updatedBy!: ActorView;
}

export class WebhookEndpointWithSecret extends WebhookEndpointView {
  @Field(secret(), { description: 'Key of the signatures. Shown this once.', example: SECRET_EXAMPLE })
  secret!: string;
}

export class RotateWebhookSecret {
  @Field(integer({ min: 0, max: GRACE_SECONDS }), {
    description: `How long deliveries are also signed with the secret that is replaced; ${GRACE_SECONDS} if not given.`,
    example: GRACE_SECONDS,
    optional: true,
  })
  graceSeconds?: number;

  @Field(flag(), { description: 'Rotate although the last grace is not over; its secret is dropped.', optional: true })
  force?: boolean;
}

export class RotatedWebhookSecret {
  @Field(secret(), { description: 'The new key of the signatures. Shown this once.', example: SECRET_EXAMPLE })
  secret!: string;

  @Field(instant(), { description: 'When the secret that it replaces is no longer used.' })
  previousSecretExpiresAt!: string;
}

export class TestWebhookEndpoint {
  @Field(eventType(), {
    description: 'Event type whose example is sent; `webhook.ping` if not given.',
    example: 'webhook.ping',
    optional: true,
  })
  eventType?: string;
}

export class WebhookTestResult {
  @Field(flag(), { description: 'Whether the endpoint answered with 2xx.' })
  delivered!: boolean;

  @Field(integer({ min: 100, max: 999 }), { description: 'Status of the answer.', example: 200, nullable: true })
  httpStatus!: number | null;

  @Field(integer({ min: 0, max: 60_000 }), { description: 'How long the attempt took.', example: 84 })
  durationMs!: number;

  @Field(text({ max: 40 }), { description: 'Why it failed.', example: 'timeout', nullable: true })
  error!: string | null;

  @Field(text({ max: 64 }), {
    description: 'Code of the system behind the error.',
    example: 'ECONNREFUSED',
    nullable: true,
  })
  errorDetail!: string | null;

  @Field(text({ max: 16_384 }), { description: 'Beginning of the answer’s body.', nullable: true })
  responseExcerpt!: string | null;

  @Field(id(), { description: 'Id of the event that was sent (`webhook-id`).' })
  eventId!: string;
}

export const endpointList: ListOptions = {
  filters: {
    status: filter.exact(oneOf(ENDPOINT_STATUSES)),
    createdAt: filter.ordered(instant()),
    updatedAt: filter.ordered(instant()),
  },
  sorts: ['createdAt', 'updatedAt'],
  defaultSort: '-createdAt',
};

export const WebhookEndpointQuery = listQuery('WebhookEndpointQuery', endpointList);
export const WebhookEndpointPage = pageOf(WebhookEndpointView);
