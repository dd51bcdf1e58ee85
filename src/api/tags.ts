import { AREAS } from '#src/areas/areas.js';

const HEALTH = 'For load balancers and orchestrators. Requires no credential and is not rate-limited.';

/** First words of tags in the order of a business: the way in, what it sells and does, its people, then its platform. */
const ORDER = [
  ...['discovery', 'auth', 'bootstrap', 'invitations', 'home', 'sales', 'finance', 'work', 'people', 'talent'],
  ...['timeline', 'process', 'ai', 'intelligence', 'admin', 'operations', 'reports', 'ops-command', 'public'],
  ...['settings', 'insights', 'observability', 'developer', 'webhooks', 'scim', 'health'],
];

/** The place of a tag by its first word; behind the others without one. */
function placeOf(tag: string): number {
  const place = ORDER.indexOf(tag.split(' ')[0]!);
  return place < 0 ? ORDER.length : place;
}

/** Descriptions of operation groups for the API reference. A tag without an entry gets a generated one. */
export const TAGS: Readonly<Record<string, string>> = Object.fromEntries(
  AREAS.flatMap(({ tags = {}, types = [] }) => [
    ...Object.entries(tags),
    ...types.map(({ tag, about }) => [tag, about] as const),
  ])
    .concat([['health', HEALTH]])
    .sort(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1)),
);
