import { type Statement, statement } from '#libs/database/statement.js';

/**
 * SQL condition on the rows `t` that a caller may see or change. It passes its values to `add`, which returns their
 * placeholders.
 */
export type Guard = (add: (value: unknown) => string) => string;

/** Matches no row. */
export const NOTHING: Guard = () => 'false';

/** Matches the rows that all guards match. Null, which matches every row, when no guard is given. */
export function every(...guards: readonly (Guard | null)[]): Guard | null {
  return joined(guards, ' and ');
}

/** Matches the rows that at least one guard matches; null when no guard is given. */
export function some(...guards: readonly (Guard | null)[]): Guard | null {
  return joined(guards, ' or ');
}

/** Matches the rows that the guard does not match. */
export function not(guard: Guard): Guard {
  return (add) => `not ${guard(add)}`;
}

function joined(guards: readonly (Guard | null)[], word: ' and ' | ' or '): Guard | null {
  const present = guards.filter((guard) => guard !== null);
  if (present.length < 2) return present[0] ?? null;
  return (add) => `(${present.map((guard) => guard(add)).join(word)})`;
}

/** Restricts a statement on rows `t` to those that the guard matches. `text` must end in a `where` condition. */
export function guarded(text: string, values: unknown[], guard: Guard | null, rest = ''): Statement {
  if (!guard) return statement(text + rest, values);
  const all = [...values];
  const condition = guard((value) => `$${all.push(value)}`);
  return statement(`${text} and ${condition}${rest}`, all);
}

/**
 * Fails with TOP04 at the JSON pointer unless every id has a row that satisfies the guard. `place` is tenant, pointer
 * and ids.
 */
export function existence(
  { table, where = 'deleted_at is null' }: { table: string; where?: string },
  place: [string, string, string[]],
  guard: Guard | null,
): Statement {
  const values: unknown[] = [...place];
  const visible = guard ? ` and ${guard((value) => `$${values.push(value)}`)}` : '';
  const check = statement(
    `select data.expect_reference($2, (select count(*) from ${table} t where tenant_id = $1 and id = any($3::uuid[])` +
      ` and ${where}${visible}) = cardinality($3::uuid[]))`,
    values,
  );
  return { ...check, isCheck: true };
}
