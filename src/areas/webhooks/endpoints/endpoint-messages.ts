import { Injectable, type OnModuleInit } from '@nestjs/common';
import { constant, Field, id, text } from '#libs/http/field.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { PERMISSION_NAMES } from '#libs/auth/permissions.js';
import { checkLifecycle } from '#libs/kernel/lifecycle.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { healthView } from '#libs/webhooks/lanes/lane-health-view.js';
import { FRESH } from '#libs/webhooks/lanes/lane-health.js';
import { WebhookEndpointView } from './endpoint.dto.js';
import { ENDPOINT_TYPE, endpointLifecycle } from './endpoint.lifecycle.js';
import { endpointPath } from './endpoint-records.js';

const CHALLENGE = 'qdUdqXDJVdP6TzU3KOrhtpZqPa5kTzQXrrUHD5rYvO0';

/** Event type of a test that names none. */
export const PING = 'webhook.ping';

/** Event type of a verification. */
export const VERIFICATION = 'webhook.verification';

/** What a ping carries. */
export class WebhookPing {
  @Field(id(), { description: 'Endpoint that is tested.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30' })
  endpointId!: string;

  @Field(constant('ping'), { description: 'Always `ping`.', example: 'ping' })
  message!: string;
}

/** What a verification carries. */
export class WebhookChallenge {
  @Field(id(), { description: 'Endpoint that is verified.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30' })
  endpointId!: string;

  @Field(text({ max: 43 }), {
    description: 'To be answered with 2xx as it is, or as `{ "challenge": ... }`.',
    example: CHALLENGE,
  })
  challenge!: string;
}

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };
const EXAMPLE: WebhookEndpointView = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30',
  object: ENDPOINT_TYPE,
  url: 'https://hooks.example.com/platform',
  description: 'Billing',
  eventTypes: ['sales.deal.created', 'sales.deal.won'],
  filter: null,
  payloadMode: 'full',
  schemaVersions: {},
  ordering: 'none',
  maxPerSecond: null,
  maxConcurrency: null,
  timeoutMs: 15_000,
  customHeaderNames: [],
  status: 'enabled',
  disabledReason: null,
  verifiedAt: null,
  health: healthView(FRESH, true, 0),
  previousSecretExpiresAt: null,
  version: 1,
  createdAt: '2026-11-21T09:15:02.114Z',
  updatedAt: '2026-11-21T09:15:02.114Z',
  createdBy: PRINCIPAL,
  updatedBy: PRINCIPAL,
};

/** Declares the events about webhook endpoints, and checks their life cycle, when the process starts. */
@Injectable()
export class EndpointEvents implements OnModuleInit {
  constructor(private readonly events: EventCatalogue) {}

  onModuleInit(): void {
    const { transitions } = endpointLifecycle;
    checkLifecycle(ENDPOINT_TYPE, endpointLifecycle, {
      permissions: new Set(PERMISSION_NAMES),
      handlers: new Set(Object.keys(transitions)),
    });
    const descriptions = new Map([
      ['created', 'A webhook endpoint was made.'],
      ['updated', 'Fields of a webhook endpoint changed.'],
      ['deleted', 'A webhook endpoint was deleted.'],
      ['secret_rotated', 'A webhook endpoint got a new secret.'],
      ['secret_revoked', 'The previous secret of a webhook endpoint was revoked before its grace was over.'],
      ['verified', 'A webhook endpoint showed that it belongs to who made it.'],
      ['failing', 'A webhook endpoint has been failing for 1, 24 or 72 hours; `health` says when it will be disabled.'],
      ['recovered', 'A webhook endpoint that was failing took a delivery.'],
      ...Object.values(transitions).map(({ event, happened }) => [event, happened] as const),
    ]);
    const data = inlineSchemaOf(WebhookEndpointView);
    for (const [verb, description] of descriptions)
      this.declare({ type: `${ENDPOINT_TYPE}.${verb}`, description, data, example: { ...EXAMPLE } });
    this.declare({
      type: PING,
      description: 'A test of a webhook endpoint. Sent on request only.',
      data: inlineSchemaOf(WebhookPing),
      example: { endpointId: EXAMPLE.id, message: 'ping' },
    });
    this.declare({
      type: VERIFICATION,
      description: 'Asks a webhook endpoint to show that it belongs to who made it. Sent on request only.',
      data: inlineSchemaOf(WebhookChallenge),
      example: { endpointId: EXAMPLE.id, challenge: CHALLENGE },
    });
  }

  private declare(event: {
    type: string;
    description: string;
    data: Record<string, unknown>;
    example: Record<string, unknown>;
  }): void {
    this.events.add({
      ...event,
      version: 1,
      subjectType: ENDPOINT_TYPE,
      exampleUrl: endpointPath(EXAMPLE.id),
      exampleSubjectId: EXAMPLE.id,
    });
  }
}
