import { Injectable, type OnModuleInit } from '@nestjs/common';
import { constant, Field, id } from '#libs/http/field.js';
import { inlineSchemaOf } from '#libs/http/schema.js';
import { PERMISSION_NAMES } from '#libs/auth/permissions.js';
import { checkLifecycle } from '#libs/kernel/lifecycle.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { WebhookEndpointView } from './endpoint.dto.js';
import { ENDPOINT_TYPE, endpointLifecycle } from './endpoint.lifecycle.js';

/** Event type of a test that names none. */
export const PING = 'webhook.ping';

/** What a ping carries. */
export class WebhookPing {
  @Field(id(), { description: 'Endpoint that is tested.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30' })
  endpointId!: string;

  @Field(constant('ping'), { description: 'Always `ping`.', example: 'ping' })
  message!: string;
}

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };
const EXAMPLE: WebhookEndpointView = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30',
  object: ENDPOINT_TYPE,
  url: 'https://hooks.example.com/platform',
  description: 'Billing',
  eventTypes: ['sales.deal.created', 'sales.deal.won'],
  status: 'enabled',
  disabledReason: null,
  timeoutMs: 15_000,
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
  }

  private declare(event: {
    type: string;
    description: string;
    data: Record<string, unknown>;
    example: Record<string, unknown>;
  }): void {
    this.events.add({ ...event, version: 1, subjectType: ENDPOINT_TYPE, deprecated: false });
  }
}
