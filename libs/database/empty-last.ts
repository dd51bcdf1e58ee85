/**
 * SQL of the value that replaces an empty one to sort it last, by column type and direction. Must be the same in
 * queries and in the indexes that serve them. U+10FFFF is last in the collation `data.alphabet`, but for U+FFFD.
 */
export const EMPTY_LAST: Readonly<Record<string, { ascending: string; descending: string }>> = {
  timestamptz: { ascending: `'infinity'::timestamptz`, descending: `'-infinity'::timestamptz` },
  date: { ascending: `'infinity'::date`, descending: `'-infinity'::date` },
  bigint: { ascending: `'9223372036854775807'::bigint`, descending: `'-9223372036854775808'::bigint` },
  integer: { ascending: `'2147483647'::integer`, descending: `'-2147483648'::integer` },
  text: { ascending: `U&'\\+10FFFF'`, descending: `''` },
};

/**
 * SQL of a column's value with `last` in place of an empty one. Not `coalesce`, which PostgreSQL considers leaky: a
 * condition on it could not use an index behind row-level security.
 */
export function emptyLast(value: string, last: string): string {
  return `case when ${value} is null then ${last} else ${value} end`;
}
