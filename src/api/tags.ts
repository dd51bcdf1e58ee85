import { AREAS } from '#src/areas/areas.js';

/** Descriptions of operation groups for the API reference. A tag without an entry gets a generated one. */
export const TAGS: Readonly<Record<string, string>> = Object.fromEntries(
  AREAS.flatMap(({ tags = {} }) => Object.entries(tags))
    .concat([['health', 'For load balancers and orchestrators. Requires no credential and is not rate-limited.']])
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);
