import { type Statement, statement } from '#libs/database/statement.js';

/**
 * A condition on the rows `t` that a caller may see or change at all. Adds its values with `add`, which answers their
 * placeholders.
 */
export type Guard = (add: (value: unknown) => string) => string;

/** Lets nothing through. */
export const NOTHING: Guard = () => 'false';

/** What all of the guards let through; null when there is none, which lets everything through. */
export function every(...guards: readonly (Guard | null)[]): Guard | null {
  return joined(guards, ' and ');
}

/** What one of the guards lets through at least; null when there is none. */
export function some(...guards: readonly (Guard | null)[]): Guard | null {
  return joined(guards, ' or ');
}

/** What the guard does not let through. */
export function not(guard: Guard): Guard {
  return (add) => `not ${guard(add)}`;
}

function joined(guards: readonly (Guard | null)[], word: ' and ' | ' or '): Guard | null {
  const present = guards.filter((guard) => guard !== null);
  if (present.length < 2) return present[0] ?? null;
  return (add) => `(${present.map((guard) => guard(add)).join(word)})`;
}

/** A statement about rows `t` that is narrowed to what a guard lets through; `text` ends in its conditions. */
export function guarded(text: string, values: unknown[], guard: Guard | null, rest = ''): Statement {
  if (!guard) return statement(text + rest, values);
  const all = [...values];
  const condition = guard((value) => `$${all.push(value)}`);
  return statement(`${text} and ${condition}${rest}`, all);
}
