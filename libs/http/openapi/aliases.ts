import type { AliasItem, Paths } from './parts.js';

/**
 * Alias paths of collections. Each refers to the original path.
 * @param aliases path below `/api` and the collection below `/api/v1` that it stands for.
 */
export function aliasesOf(paths: Paths, aliases: Readonly<Record<string, string>>): Record<string, AliasItem> {
  const found = Object.entries(aliases).flatMap(([alias, collection]) => {
    const base = `/api/v1/${collection}`;
    return Object.keys(paths)
      .filter((path) => path === base || path.startsWith(`${base}/`))
      .map((path) => [`/api/${alias}${path.slice(base.length)}`, { $ref: `#/paths/${path.replaceAll('/', '~1')}` }]);
  });
  return Object.fromEntries(found) as Record<string, AliasItem>;
}
