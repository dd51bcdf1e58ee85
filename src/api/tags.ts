import { AREAS } from '#src/areas/areas.js';

const HEALTH = 'For load balancers and orchestrators. Requires no credential and is not rate-limited.';

/** Descriptions of operation groups for the API reference. A tag without an entry gets a generated one. */
export const TAGS: Readonly<Record<string, string>> = Object.fromEntries(
  AREAS.flatMap(({ tags = {}, types = [] }) => [
    ...Object.entries(tags),
    ...types.map(({ tag, about }) => [tag, about] as const),
  ])
    .concat([['health', HEALTH]])
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);
