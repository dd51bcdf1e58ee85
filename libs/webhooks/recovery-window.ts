/** What a recovery can be about: statuses of deliveries, and events that never became one for the endpoint. */
export const RECOVERABLE = ['held', 'exhausted', 'skipped', 'retrying', 'delivered', 'never_attempted'] as const;
export type Recoverable = (typeof RECOVERABLE)[number];

/** A transaction is far shorter than this: what an event says of its time and what its id says differ by less. */
const SLACK_MS = 3_600_000;

/** The least id that an event can have that occurred at this time or later. */
export function firstIdSince(instant: string): string {
  return idAt(Date.parse(instant) - SLACK_MS);
}

/** An id that is greater than those of events that occurred before this time. */
export function firstIdAfter(instant: string): string {
  return idAt(Date.parse(instant) + SLACK_MS);
}

/** The least UUID whose first 48 bits are a time, as those of a UUIDv7 are. `Source:` RFC 9562 section 5.7. */
function idAt(ms: number): string {
  const hex = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
