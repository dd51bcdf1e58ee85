import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { EventCheck } from '#libs/outbox/event-check.js';
import { Contract } from './contract.js';
import { asAdmin } from './database.js';
import type { TestPlatform } from './platform.js';

/** Beginning of the types of events that tests emit themselves. */
const OF_TESTS = 'test.';
/** Without those that a test has put in by hand, to have many or old ones: they say nothing. */
const EVENTS = `select envelope from data.events where envelope <> '{}'`;

interface Envelope {
  type: string;
  schemaVersion: number;
  subject: { url: string };
  [member: string]: unknown;
}

/** What is published of events, with what is compiled of it: the same for every app of this process. */
let published: { catalogue: EventCatalogue; check: EventCheck } | null = null;

/**
 * What is wrong with the events that a platform and its workers have emitted, whoever's they are: what breaks the schema of
 * its type, and subjects that cannot be read where it says. Each fault once.
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
