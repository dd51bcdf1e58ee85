import type { Operation } from './operations.js';

/**
 * Whose operations prove in full what the platform and the resource kit promise of every operation. The others prove what
 * is their own, and of the rest one case of each topic is tried.
 */
const PROVING = [
  'sales.deals', // a life cycle with bodies of actions, archive and trash
  'finance.invoices', // lines, money, numbers
  'talent.candidates', // fields that only some may see, erasure
  'webhooks.endpoints', // written by hand
  'scim.users', // another dialect with a credential of its own
];

/** What an operation is about: `sales.deals` of `sales.deals.win`. */
export function topicOf({ id }: Operation): string {
  return id.slice(0, id.lastIndexOf('.'));
}

/** Whether the operations of a topic prove everything in full. */
export function isProving(topic: string): boolean {
  return PROVING.includes(topic);
}

/** All operations of the proving topics and one of each other: not always the same kind, so that each kind is among them. */
export function sampleOf(operations: Operation[]): Operation[] {
  const topics = Object.entries(Object.groupBy(operations, topicOf));
  return topics.flatMap(([topic, each], i) => (isProving(topic) ? each! : [each![i % each!.length]!]));
}

/** The first operation for each key. */
export function firstOfEach(operations: Operation[], keyOf: (operation: Operation) => string): Operation[] {
  return [...new Map(operations.toReversed().map((each) => [keyOf(each), each])).values()].toReversed();
}
