import { operationPrefix } from '#libs/resource/types/definition.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { TestPlatform } from '../harness/platform.js';
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

/** Operations that every record type has. */
const STANDARD = ['list', 'create', 'get', 'update', 'update_many', 'delete', 'delete_many'];

/** All operations that are written by hand, and a sample of those that the resource kit has made. */
export function sampleOfKit({ app }: TestPlatform, operations: Operation[]): Operation[] {
  const types = app.get(ResourceRegistry).all();
  const made = new Set(
    types.flatMap((type) =>
      [...STANDARD, ...Object.keys(type.lifecycle.transitions)].map((verb) => `${operationPrefix(type)}.${verb}`),
    ),
  );
  return [...operations.filter(({ id }) => !made.has(id)), ...sampleOf(operations.filter(({ id }) => made.has(id)))];
}

/** The first operation for each key. */
export function firstOfEach(operations: Operation[], keyOf: (operation: Operation) => string): Operation[] {
  return [...new Map(operations.toReversed().map((each) => [keyOf(each), each])).values()].toReversed();
}
