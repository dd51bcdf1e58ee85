import { area } from '../area.js';

export const webhooks = area({
  name: 'webhooks',
  tags: {
    'admin outbox': 'Deliveries of events to webhook endpoints: inspect, retry or skip them.',
    'webhooks endpoints': 'Webhook subscriptions: address, events, and signing secrets.',
    'webhooks deliveries': 'Deliveries of events to endpoints, with every attempt.',
    'webhooks recoveries': 'Jobs that resend events that an endpoint has missed: counts, progress, cancellation.',
    'webhooks events': 'The events of the tenant in order, for polling.',
    webhooks: 'Events as delivered to your endpoint.',
  },
  entities: async () => (await import('./webhooks.entities.js')).WEBHOOKS_ENTITIES,
  routes: async () => (await import('./webhooks.module.js')).WebhooksModule,
  records: [async () => (await import('./webhooks-metrics.module.js')).WebhooksMetricsModule],
  background: [async () => (await import('./webhooks-worker.module.js')).WebhooksWorkerModule],
});
