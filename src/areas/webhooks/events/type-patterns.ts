import type { Violation } from '#libs/kernel/problem.js';
import type { EventCatalogue } from '#libs/outbox/event-catalogue.js';

/** Patterns of event types (`sales.deal.won`, `sales.*`, `*`) as LIKE patterns. */
export function likePatterns(patterns: readonly string[]): string[] {
  return patterns.map((pattern) => pattern.replace(/[\\%_]/g, '\\$&').replace(/\*$/, '%'));
}

/** Faults of patterns that no event type can match. `placeOf` gives the position of each. */
export function patternViolations(
  events: EventCatalogue,
  patterns: readonly string[],
  placeOf: (index: number) => Pick<Violation, 'pointer' | 'parameter'>,
): Violation[] {
  return patterns.flatMap((pattern, index) =>
    events.matchesAny(pattern)
      ? []
      : [{ ...placeOf(index), code: 'unknown_event_type', detail: 'No event type matches this.' }],
  );
}
