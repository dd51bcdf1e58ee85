import { anyObject, constant, Field, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { PAYLOAD_MODES, type PayloadMode } from '#libs/outbox/event-body.js';
import { filter, listQuery, type ListOptions } from '#libs/resource/list-query.js';
import { ActorView, mergePatchOf, pageOf } from '#libs/resource/record.dto.js';
import { TENANT_CAPS } from '#libs/webhooks/leases/claim.js';
import type { CustomHeaders } from '#libs/webhooks/lanes/endpoint-secrets.js';
import type { PayloadFilter } from '#libs/webhooks/relay/payload-filter.js';
import { payloadFilter } from '#libs/webhooks/relay/payload-filter-check.js';
import { schemaVersions } from '#libs/webhooks/sending/payload-versions.js';
import { CUSTOM_HEADERS_DESCRIPTION, customHeaders, customHeadersPatch } from './custom-headers.js';
import {
  DISABLED_REASONS,
  type DisabledReason,
  ENDPOINT_STATUSES,
  ENDPOINT_TYPE,
  type EndpointStatus,
  ORDERINGS,
  type Ordering,
} from './endpoint.lifecycle.js';
import { WebhookEndpointHealth } from '../endpoint-insight/endpoint-health.dto.js';

/** How long an endpoint may take to answer unless the caller says otherwise. */
export const TIMEOUT_MS = 15_000;

const URL_EXAMPLE = 'https://hooks.example.com/platform';
const FILTER_EXAMPLE = { field: 'valueMinor', op: 'gte', value: 1_000_000 };

const url = () => text({ min: 1, max: 2_048 });
const eventTypes = () => listOf(text({ min: 1, max: 128 }), { min: 1, max: 100, unique: true });
const maxPerSecond = () => integer({ min: 1, max: 1_000 });
const maxConcurrency = () => integer({ min: 1, max: TENANT_CAPS.enterprise });
const timeoutMs = () => integer({ min: 1_000, max: 30_000 });

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

  @Field(payloadFilter(), {
    description:
      'Which of these events to send, by what is in their `data`: conditions, joined by `and`, `or` and `not`, at most 20 of them in at most 4 levels. All events if null.',
    example: FILTER_EXAMPLE,
    optional: true,
    nullable: true,
  })
  filter!: PayloadFilter | null;

  @Field(oneOf(PAYLOAD_MODES), {
    description: '`full` sends the record, `thin` only where it is; `full` if not given.',
    example: 'full',
    optional: true,
  })
  payloadMode!: PayloadMode;

  @Field(schemaVersions(), {
    description:
      'Versions of event types to keep to. What is not named keeps to the version that is current when the endpoint subscribes to it.',
    example: { 'sales.deal.won': 1 },
    optional: true,
  })
  schemaVersions!: Record<string, number>;

  @Field(oneOf(ORDERINGS), {
    description:
      '`per_resource` sends the events of one record one after the other, in order: one that fails holds up those after it. `none` if not given.',
    example: 'none',
    optional: true,
  })
  ordering!: Ordering;

  @Field(maxPerSecond(), {
    description: 'Most attempts in a second; no limit of its own if null.',
    example: 50,
    optional: true,
    nullable: true,
  })
  maxPerSecond!: number | null;

  @Field(maxConcurrency(), {
    description: `Most attempts at a time; 10 if null. All endpoints of a tenant together get ${Object.values(TENANT_CAPS).join(', ')} by plan.`,
    example: 5,
    optional: true,
    nullable: true,
  })
  maxConcurrency!: number | null;

  @Field(timeoutMs(), {
    description: `Longest time for an attempt, answer included; ${TIMEOUT_MS} if not given.`,
    example: TIMEOUT_MS,
    optional: true,
  })
  timeoutMs!: number;

  @Field(customHeaders(), {
    description: CUSTOM_HEADERS_DESCRIPTION,
    example: { 'X-Environment': 'production' },
    optional: true,
  })
  customHeaders!: CustomHeaders;
}

/** What a patch may hold. */
export type EndpointPatch = Partial<
  Omit<CreateWebhookEndpoint, 'customHeaders'> & { customHeaders: Record<string, string | null> | null }
>;

export const UpdateWebhookEndpoint = mergePatchOf('UpdateWebhookEndpoint', CreateWebhookEndpoint, {
  customHeaders: customHeadersPatch,
});

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

  @Field(anyObject(), {
    description: 'Which of them are sent, by their `data`; all if null.',
    example: FILTER_EXAMPLE,
    nullable: true,
  })
  filter!: PayloadFilter | null;

  @Field(oneOf(PAYLOAD_MODES), { description: 'Whether the record is sent or only where it is.', example: 'full' })
  payloadMode!: PayloadMode;

  @Field(schemaVersions(), {
    description: 'Versions of event types that it keeps to; 1 of those that are not named.',
    example: {},
  })
  schemaVersions!: Record<string, number>;

  @Field(oneOf(ORDERINGS), { description: 'Whether the events of one record arrive in order.', example: 'none' })
  ordering!: Ordering;

  @Field(maxPerSecond(), { description: 'Most attempts in a second.', example: 50, nullable: true })
  maxPerSecond!: number | null;

  @Field(maxConcurrency(), { description: 'Most attempts at a time.', example: 5, nullable: true })
  maxConcurrency!: number | null;

  @Field(timeoutMs(), { description: 'Longest time for an attempt, answer included.', example: TIMEOUT_MS })
  timeoutMs!: number;

  @Field(listOf(text({ min: 1, max: 100 }), { max: 10 }), {
    description: 'Names of the further headers of each delivery. Their values are never shown.',
    example: ['X-Environment'],
  })
  customHeaderNames!: string[];

  @Field(oneOf(ENDPOINT_STATUSES), {
    description: 'While it is paused or disabled, events are held for it.',
    example: 'enabled',
  })
  status!: EndpointStatus;

  @Field(oneOf(DISABLED_REASONS), {
    description:
      'Why it is disabled: on request; it answered 410 (`endpoint_gone`) or asked for it in a header (`endpoint_request`); it has failed for five days (`failing`); it has not shown yet whose it is (`unverified`).',
    nullable: true,
  })
  disabledReason!: DisabledReason | null;

  @Field(instant(), {
    description:
      'When it last showed that it belongs to who made it; null if it has not since the origin of its URL was set.',
    nullable: true,
  })
  verifiedAt!: string | null;

  @Field(nested(WebhookEndpointHealth), { description: 'How it does. Changes without a new version.' })
  health!: WebhookEndpointHealth;

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
