import { hash } from 'node:crypto';

/**
 * The id of the delivery of an event to an endpoint: a UUIDv7 with the time of the event, whose random bits are a digest
 * of both ids. The same event for the same endpoint is always the same delivery, so the primary key of the table makes
 * fan-out happen once; and a delivery stands in the partition of the day of its event.
 */
export function deliveryId(eventId: string, endpointId: string): string {
  const digest = hash('sha256', eventId + endpointId);
  const variant = (8 | (parseInt(digest[3]!, 16) & 3)).toString(16);
  return `${eventId.slice(0, 13)}-7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
}
