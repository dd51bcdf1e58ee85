import { operationsOf, type Paths } from './parts.js';

/**
 * The paths of `area/collection` pairs once more without the version segment. The server treats both as one operation, so
 * each says of which it is the alias.
 */
export function aliasesOf(paths: Paths, collections: Iterable<string>): Paths {
  const aliased = [...collections].map((collection) => `/api/v1/${collection}`);
  const found = Object.entries(paths).filter(([path]) =>
    aliased.some((collection) => path === collection || path.startsWith(`${collection}/`)),
  );
  const copies: Paths = Object.fromEntries(
    found.map(([path, item]) => [path.replace('/api/v1/', '/api/'), structuredClone(item)]),
  );
  for (const { path, method, operation } of operationsOf(copies)) {
    const original = `${method.toUpperCase()} ${path.replace('/api/', '/api/v1/')}`;
    operation['x-alias-of'] = operation.operationId;
    operation.description = `Alias of \`${original}\`: the same operation, idempotency keys included. ${operation.description}`;
    operation.summary = `${operation.summary} (alias)`;
    operation.operationId = `${operation.operationId}.alias`;
  }
  return copies;
}
