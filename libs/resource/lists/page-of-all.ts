import type { Cursors } from '#libs/kernel/cursor.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { PAGE_SIZE, type PageQuery } from './page-query.js';
import type { Page } from './resource.repository.js';

/** A list that is complete: its only page. */
export function onePage<T>(data: T[]): Page<T> {
  return { data, page: { limit: Math.max(1, data.length), hasMore: false, nextCursor: null } };
}

/**
 * One page of a list that is short enough to read completely. Continues after the last item of the previous page, or
 * at its position if the item is gone. A cursor is bound to the list and to all other parameters of the query.
 * @param list names the list, and what else its cursors are bound to
 * @throws Problem 400 `cursor_invalid`.
 */
export function pageOfAll<T extends { id: string }>(
  all: readonly T[],
  { limit = PAGE_SIZE, cursor, ...filters }: PageQuery,
  cursors: Cursors,
  list: readonly unknown[],
): Page<T> {
  const given = Object.entries<unknown>(filters).sort(([a], [b]) => (a < b ? -1 : 1));
  const use = JSON.stringify([currentScope().tenant?.id ?? null, ...list, given]);
  const [place, after] = cursor === undefined ? [0, null] : (cursors.read(cursor, use) as [number, string]);
  const found = all.findIndex(({ id }) => id === after);
  const start = found < 0 ? place : found + 1;
  const data = all.slice(start, start + limit);
  const end = start + data.length;
  const hasMore = end < all.length;
  // The position of the last item: the next page begins there if the item is gone by then.
  const nextCursor = hasMore ? cursors.write([end - 1, data.at(-1)!.id], use) : null;
  return { data, page: { limit, hasMore, nextCursor } };
}
