import type { AliasItem, Paths } from './parts.js';

/**
 * The paths of `area/collection` pairs without the version segment. The server treats both as one operation, so each is
 * a reference to the original path.
 */
export function aliasesOf(paths: Paths, collections: Iterable<string>): Record<string, AliasItem> {
  const aliased = [...collections].map((collection) => `/api/v1/${collection}`);
  const found = Object.keys(paths).filter((path) =>
    aliased.some((collection) => path === collection || path.startsWith(`${collection}/`)),
  );
  return Object.fromEntries(
    found.map((path) => [path.replace('/api/v1/', '/api/'), { $ref: `#/paths/${path.replaceAll('/', '~1')}` }]),
  );
}
