import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { EventCheck } from '#libs/outbox/event-check.js';
import { Contract } from './contract.js';
import { asAdmin } from './database.js';
import type { TestPlatform } from './platform.js';

/** Type prefixes of events that tests emit themselves. */
const OF_TESTS = 'test.';
/** Excludes events that a test has inserted directly to have many or old ones. */
const EVENTS = `select envelope from data.events where envelope <> '{}'`;

interface Envelope {
  type: string;
  schemaVersion: number;
  subject: { url: string };
  [member: string]: unknown;
}

/** Published event schemas, compiled once per process. */
let published: { catalogue: EventCatalogue; check: EventCheck } | null = null;

/**
 * Faults in all events that a platform and its workers have emitted: schema violations and subjects that cannot be read
 * at their URL. Each fault is reported once.
 */
export async function eventFaults({ app, document, database }: TestPlatform): Promise<string[]> {
  const catalogue = app.get(EventCatalogue);
  const known = (published ??= { catalogue, check: new EventCheck(catalogue) });
  const contract = Contract.of(document);
  const rows = await asAdmin<{ envelope: string }>(database, EVENTS);
  const faults = rows.flatMap(({ envelope }) => {
    const event = JSON.parse(envelope) as Envelope;
    const { type, schemaVersion, subject } = event;
    if (type.startsWith(OF_TESTS)) return [];
    const found = known.catalogue.find(type, schemaVersion)
      ? [
          known.check.faultOf({ ...event, sequence: '1' }),
          contract.operationOf('GET', subject.url) === null ? `nothing can be read at ${subject.url}` : null,
        ]
      : ['it is not declared'];
    return found.filter((fault) => fault !== null).map((fault) => `${type} v${schemaVersion}: ${fault}`);
  });
  return [...new Set(faults)];
}
