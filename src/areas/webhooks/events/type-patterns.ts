import type { Violation } from '#libs/kernel/problem.js';
import type { EventCatalogue } from '#libs/outbox/event-catalogue.js';

/** Patterns of event types (`sales.deal.won`, `sales.*`, `*`) as LIKE patterns. */
export function likePatterns(patterns: readonly string[]): string[] {
  return patterns.map((pattern) => pattern.replace(/[\\%_]/g, '\\$&').replace(/\*$/, '%'));
}

/** Violations for patterns that match no event type. `placeOf` returns the position of each. */
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
