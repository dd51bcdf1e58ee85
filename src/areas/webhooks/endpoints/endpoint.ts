import { Column } from 'typeorm';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { anyObject, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { cut } from '#libs/kernel/cut.js';
import { PAYLOAD_MODES, type PayloadMode } from '#libs/outbox/event-body.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { Attribute, Derived, Mapped, ReadOnly, WriteOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { ActorView } from '#libs/resource/types/record.dto.js';
import type { CustomHeaders } from '#libs/webhooks/lanes/endpoint-secrets.js';
import { type HealthView, healthView } from '#libs/webhooks/lanes/lane-health-view.js';
import { FRESH } from '#libs/webhooks/lanes/lane-health.js';
import { TENANT_CAPS } from '#libs/webhooks/leases/claim.js';
import { payloadFilter } from '#libs/webhooks/relay/payload-filter-check.js';
import type { PayloadFilter } from '#libs/webhooks/relay/payload-filter.js';
import { schemaVersions } from '#libs/webhooks/sending/payload-versions.js';
import { WebhookEndpointHealth } from '../endpoint-insight/endpoint-health.dto.js';
import { CUSTOM_HEADERS_DESCRIPTION, customHeaders } from './custom-headers.js';
import {
  DISABLED_REASONS,
  type DisabledReason,
  ENDPOINT_STATUSES,
  ENDPOINT_TYPE,
  endpointLifecycle,
  type EndpointStatus,
  ORDERINGS,
  type Ordering,
} from './endpoint.lifecycle.js';

/** Default time limit for an endpoint's response. */
export const TIMEOUT_MS = 15_000;

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

/**
 * A webhook endpoint of a customer. Secrets and the values of custom headers are encrypted. `previousSecretExpiresAt`
 * remains when the previous secret is deleted: it shows when the last rotation ended.
 */
export class Endpoint extends VersionedRow {
  @Attribute(
    text({ min: 1, max: 2_048 }),
    'Address that events are sent to: `https:`, a public host name, port 443 or above 1023, no user name, no fragment.',
    { example: 'https://hooks.example.com/platform' },
  )
  url!: string;

  @Mapped(
    listOf(text({ min: 1, max: 128 }), { min: 1, max: 100, unique: true }),
    'Event types to send: exact ones, `sales.deal.*`, `sales.*` or `*`.',
    { example: ['sales.deal.created', 'sales.deal.won'] },
  )
  @Column('text', { name: 'event_types', array: true })
  eventTypes!: string[];

  @Attribute(text({ max: 500 }), 'Purpose of the endpoint.', { example: 'Billing', nullable: true })
  description!: string | null;

  @Mapped(
    anyObject(),
    'Filter on the `data` of these events: conditions, joined by `and`, `or` and `not`, at most 20 of them in at most 4 levels. All events are sent if null.',
    {
      example: { field: 'valueMinor', op: 'gte', value: 1_000_000 },
      nullable: true,
      given: payloadFilter(),
    },
  )
  @Column('jsonb', { nullable: true })
  filter!: PayloadFilter | null;

  @Attribute(oneOf(PAYLOAD_MODES), '`full` sends the record, `thin` only its path; `full` by default.', {
    example: 'full',
    default: 'full',
  })
  payloadMode!: PayloadMode;

  @Attribute(
    schemaVersions(),
    'Versions of event types to keep to. Types that you do not name keep to the version that is current when the endpoint subscribes to them.',
    { example: { 'sales.deal.won': 1 }, optional: true },
  )
  schemaVersions!: Record<string, number>;

  @Attribute(
    oneOf(ORDERINGS),
    '`per_resource` sends the events of one record one after the other, in order: one that fails holds up those after it. `none` by default.',
    { example: 'none', default: 'none' },
  )
  ordering!: Ordering;

  @Attribute(integer({ min: 1, max: 1_000 }), 'Maximum attempts per second; null for no separate limit.', {
    example: 50,
    nullable: true,
  })
  maxPerSecond!: number | null;

  @Attribute(
    integer({ min: 1, max: TENANT_CAPS.enterprise }),
    `Most attempts at a time; 10 if null. All endpoints of a tenant together get ${Object.values(TENANT_CAPS).join(', ')} by plan.`,
    { example: 5, nullable: true },
  )
  maxConcurrency!: number | null;

  @Attribute(
    integer({ min: 1_000, max: 30_000 }),
    `Longest time for an attempt, answer included; ${TIMEOUT_MS} by default.`,
    { example: TIMEOUT_MS, default: TIMEOUT_MS },
  )
  timeoutMs!: number;

  @WriteOnly(customHeaders(), CUSTOM_HEADERS_DESCRIPTION, { example: { 'X-Environment': 'production' } })
  customHeaders?: CustomHeaders;

  @Derived(
    listOf(text({ min: 1, max: 100 }), { max: 10 }),
    'Names of the further headers of each delivery. Their values are never shown.',
    { example: ['X-Environment'] },
  )
  @Column('text', { name: 'header_names', array: true })
  customHeaderNames!: string[];

  @Column('text', { name: 'headers_sealed', nullable: true })
  headersSealed!: string | null;

  @ReadOnly(oneOf(ENDPOINT_STATUSES), 'Events are held for an endpoint that is paused or disabled.', {
    example: 'enabled',
  })
  status!: EndpointStatus;

  @ReadOnly(
    oneOf(DISABLED_REASONS),
    'Reason why it is disabled: on request; it answered 410 (`endpoint_gone`) or asked for it in a header (`endpoint_request`); it has failed for five days (`failing`); it has not shown yet whose it is (`unverified`).',
    { nullable: true },
  )
  disabledReason!: DisabledReason | null;

  @ReadOnly(
    instant(),
    'Time at which it last showed that it belongs to who made it; null if it has not since the origin of its URL was set.',
    { nullable: true },
  )
  verifiedAt!: string | null;

  @Derived(nested(WebhookEndpointHealth), 'Success and failure of late. Changes without a new version.', {
    example: healthView(FRESH, true, 0),
  })
  health?: HealthView;

  @ReadOnly(
    instant(),
    'Time until which deliveries are also signed with the secret before the current one; null if it was never rotated.',
    { nullable: true },
  )
  previousSecretExpiresAt!: string | null;

  @Column('text', { name: 'secret_sealed' })
  secretSealed!: string;

  @Column('text', { name: 'previous_secret_sealed', nullable: true })
  previousSecretSealed!: string | null;

  @ReadOnly(nested(ActorView), 'Creator of the endpoint.', { example: PRINCIPAL })
  createdBy!: ActorView;

  @ReadOnly(nested(ActorView), 'Last one to change it.', { example: PRINCIPAL })
  updatedBy!: ActorView;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: string | null;
}

/** An endpoint as the API shows it. */
export type ShownEndpoint = Omit<
  ShownObject<Endpoint>,
  'secretSealed' | 'previousSecretSealed' | 'headersSealed' | 'deletedAt' | 'health'
> & { health: HealthView };

const list = {
  filters: {
    status: filter.exact(oneOf(ENDPOINT_STATUSES)),
    createdAt: filter.ordered(instant()),
    updatedAt: filter.ordered(instant()),
  },
  sorts: ['createdAt', 'updatedAt'],
  defaultSort: '-createdAt',
};

export const endpoints = governedType(Endpoint, {
  type: ENDPOINT_TYPE,
  noun: 'webhook endpoint',
  table: 'data.webhook_endpoints',
  path: '/api/webhooks/endpoints',
  risk: 'medium',
  keepsDeleted: true,
  list,
  events: {
    created: 'A webhook endpoint was made.',
    updated: 'Fields of a webhook endpoint changed.',
    deleted: 'A webhook endpoint was deleted.',
    secret_rotated: 'A webhook endpoint got a new secret.',
    secret_revoked: 'The previous secret of a webhook endpoint was revoked before its grace was over.',
    verified: 'A webhook endpoint showed that it belongs to who made it.',
    failing: 'A webhook endpoint has been failing for 1, 24 or 72 hours; `health` says when it will be disabled.',
    recovered: 'A webhook endpoint that was failing took a delivery.',
    ...Object.fromEntries(Object.values(endpointLifecycle.transitions).map(({ event, happened }) => [event, happened])),
  },
});

const MAX_NAME = 200;

/** Path of an endpoint in the API. */
export function endpointPath(id: string): string {
  return `${endpoints.path}/${id}`;
}

/** Name of an endpoint in the audit log: its host. */
export function endpointName({ url }: Pick<Endpoint, 'url'>): string {
  return cut(new URL(url).host, MAX_NAME);
}
