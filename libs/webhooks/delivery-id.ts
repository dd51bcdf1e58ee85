import { hash } from 'node:crypto';

/**
 * The id of the delivery of an event to an endpoint: a UUIDv7 with the time of the event, whose random bits are a
 * digest of both ids. The same event and endpoint always produce the same id, so the primary key makes fan-out
 * idempotent, and a delivery is in the partition of its event's day.
 */
export function deliveryId(eventId: string, endpointId: string): string {
  const digest = hash('sha256', eventId + endpointId);
  const variant = (8 | (parseInt(digest[3]!, 16) & 3)).toString(16);
  return `${eventId.slice(0, 13)}-7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
}
