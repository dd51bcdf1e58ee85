import { isDeepStrictEqual } from 'node:util';
import type { EventCatalogue, EventData } from './event-catalogue.js';
import type { EventEnvelope } from './event.js';

/** Whether an endpoint gets the record of an event, or only its URL. */
export const PAYLOAD_MODES = ['full', 'thin'] as const;
export type PayloadMode = (typeof PAYLOAD_MODES)[number];

/** Maximum size of a body. A larger event is sent without its record. */
export const MAX_BODY_BYTES = 262_144;

/** An event as stored in the outbox. */
export interface StoredEvent {
  type: string;
  schemaVersion: number;
  /** The complete text, as created by `wireBytes`. */
  whole: Buffer;
}

/** How a receiver wants an event. */
export interface PayloadForm {
  mode: PayloadMode;
  version: number;
}

/** Replaces an omitted record; `truncated` if it was too large. */
export type ThinData = { thin: true; truncated?: true };

/**
 * The body of a delivery: always the same bytes for the same event and form. `schemaVersion` is the version actually
 * sent; see {@link EventCatalogue.versionFor}.
 *
 * Most events are sent in full as stored, and are not parsed.
 */
export function renderBody(
  events: EventCatalogue,
  event: StoredEvent,
  { mode, version }: PayloadForm,
): { body: Buffer; schemaVersion: number } {
  const schemaVersion = events.versionFor(event.type, event.schemaVersion, version);
  if (mode === 'thin') return { body: thinBody(event, schemaVersion, { thin: true }), schemaVersion };
  const full = schemaVersion === event.schemaVersion ? event.whole : downgradedBody(events, event, schemaVersion);
  const isSent = full.length <= MAX_BODY_BYTES;
  const body = isSent ? full : thinBody(event, schemaVersion, { thin: true, truncated: true });
  return { body, schemaVersion };
}

/**
 * Parses only the short part before the record. No text in it can be mistaken for the member name, because quotation
 * marks inside texts are escaped.
 */
function thinBody({ whole }: StoredEvent, schemaVersion: number, data: ThinData): Buffer {
  const head = JSON.parse(`${whole.toString('utf8', 0, whole.indexOf(',"data":'))}}`) as EventEnvelope;
  return bytesOf({ ...head, schemaVersion, data, changes: null });
}

function downgradedBody(events: EventCatalogue, event: StoredEvent, schemaVersion: number): Buffer {
  const envelope = JSON.parse(event.whole.toString()) as EventEnvelope;
  const inVersion = (data: object) => events.render(event.type, event.schemaVersion, schemaVersion, data as EventData);
  const data = inVersion(envelope.data);
  const changes = envelope.changes && changesBetween(inVersion(before(envelope.data, envelope.changes)), data);
  return bytesOf({ ...envelope, schemaVersion, data, changes });
}

function bytesOf(envelope: EventEnvelope): Buffer {
  return Buffer.from(JSON.stringify(envelope));
}

/** The record before the changes, except for members that every change updates, such as its version. */
function before(data: object, changes: object): object {
  const from = Object.entries(changes as Record<string, { from: unknown }>).map(([field, change]) => [
    field,
    change.from,
  ]);
  return { ...data, ...(Object.fromEntries(from) as object) };
}

function changesBetween(old: EventData, data: EventData): object {
  const changed = Object.entries(data).filter(([field, value]) => !isDeepStrictEqual(old[field], value));
  return Object.fromEntries(changed.map(([field, to]) => [field, { from: old[field] ?? null, to }]));
}
