import type { PlatformEvent } from '../../receiver/events.js';

/** How a receiver reads an event: `type` determines `data`, and `thin` marks that it is left out. */
export function told(event: PlatformEvent): string {
  if ('thin' in event.data) return `${event.type}: see ${event.subject.url}`;
  switch (event.type) {
    case 'sales.deal.won':
    case 'sales.deal.lost': {
      const { name, valueMinor, currency } = event.data;
      return `${name} is ${event.data.status}: ${valueMinor ?? 0} ${currency}`;
    }
    case 'webhook.endpoint.failing':
      return `${event.data.url} fails, and will be disabled at ${event.data.health.willDisableAt ?? 'no time'}`;
    case 'webhook.ping':
      return event.data.message;
    default:
      return `${event.type}, version ${event.schemaVersion}`;
  }
}
