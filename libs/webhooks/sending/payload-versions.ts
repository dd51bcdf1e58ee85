import { escapePointer, type Kind } from '#libs/http/field.js';
import type { Violation } from '#libs/kernel/problem.js';
import type { EventCatalogue } from '#libs/outbox/event-catalogue.js';

const MAX_TYPES = 1_000;
const MAX_VERSION = 1_000;

/** Versions by event type, such as `{ "sales.deal.won": 2 }`. {@link checkVersions} checks whether they exist. */
export function schemaVersions(): Kind {
  return {
    schema: {
      type: 'object',
      maxProperties: MAX_TYPES,
      additionalProperties: { type: 'integer', minimum: 1, maximum: MAX_VERSION },
    },
    check: (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return [{ code: 'invalid_type', detail: 'The value must be an object.' }];
      const entries = Object.entries(value);
      if (entries.length > MAX_TYPES)
        return [{ code: 'too_many', detail: `The object may have at most ${MAX_TYPES} members.` }];
      return entries
        .filter(([, version]) => !isVersion(version))
        .map(([type]) => ({
          code: 'invalid_type',
          detail: `The version must be a whole number from 1 to ${MAX_VERSION}.`,
          at: `/${escapePointer(type)}`,
        }));
    },
    parse: () => undefined,
  };
}

function isVersion(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_VERSION;
}

/** The undeclared types and versions in a value of {@link schemaVersions}. */
export function checkVersions(
  events: EventCatalogue,
  versions: Readonly<Record<string, number>>,
  pointer: string,
): Violation[] {
  return Object.entries(versions)
    .filter(([type, version]) => !events.find(type, version))
    .map(([type]) => ({
      pointer: `${pointer}/${escapePointer(type)}`,
      ...(events.has(type)
        ? { code: 'unknown_version', detail: 'The event type has no such version.' }
        : { code: 'unknown_event_type', detail: 'There is no such event type.' }),
    }));
}
