import { constant, Field, id, text } from '#libs/http/field.js';
import type { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { endpoints } from './endpoint.js';

const CHALLENGE = 'qdUdqXDJVdP6TzU3KOrhtpZqPa5kTzQXrrUHD5rYvO0';

/** Default event type of a test. */
export const PING = 'webhook.ping';

/** Event type of a verification. */
export const VERIFICATION = 'webhook.verification';

/** Data of a ping. */
export class WebhookPing {
  @Field(id(), { description: 'Endpoint that is tested.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30' })
  endpointId!: string;

  @Field(constant('ping'), { description: 'Always `ping`.', example: 'ping' })
  message!: string;
}

/** Data of a verification. */
export class WebhookChallenge {
  @Field(id(), { description: 'Endpoint that is verified.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b30' })
  endpointId!: string;

  @Field(text({ max: 43 }), {
    description: 'To be answered with 2xx as it is, or as `{ "challenge": ... }`.',
    example: CHALLENGE,
  })
  challenge!: string;
}

/** Declares the events that are sent only on request. */
export function declareMessages(registry: ResourceRegistry): void {
  const id = String(endpoints.example['id']);
  const shared = { type: 'webhook', path: endpoints.path, hasPath: true, subject: { type: endpoints.type, id } };
  registry.declareObject({
    ...shared,
    told: WebhookPing,
    events: { ping: 'A test of a webhook endpoint. Sent on request only.' },
    example: { endpointId: id, message: 'ping' },
  });
  registry.declareObject({
    ...shared,
    told: WebhookChallenge,
    events: {
      verification: 'Asks a webhook endpoint to show that it belongs to who made it. Sent on request only.',
    },
    example: { endpointId: id, challenge: CHALLENGE },
  });
}
