import { cut } from '#libs/kernel/cut.js';
import { Problem } from '#libs/kernel/problem.js';

/** The name fields that were provided. */
export interface GivenNames {
  name?: string;
  firstName?: string | null;
  lastName?: string | null;
  preferredName?: string | null;
}

/**
 * Completes the names of a new employee. The display name defaults to the preferred name, or first and last name. If
 * only a display name is given, its last word is the last name and the rest the first name.
 * @throws Problem 400 when no display name results.
 */
export function namesOf({ name, firstName = null, lastName = null, preferredName = null }: GivenNames) {
  const full = firstName !== null && lastName !== null ? `${firstName.trim()} ${lastName.trim()}` : null;
  const shown = name?.trim() ?? preferredName?.trim() ?? full;
  if (shown === null)
    throw Problem.validation([
      { pointer: '/name', code: 'required', detail: 'Give a name, or first name and last name.' },
    ]);
  if (firstName !== null || lastName !== null) return { name: cut(shown, 200), firstName, lastName, preferredName };
  const words = shown.split(/\s+/u);
  const last = words.pop()!;
  return { name: shown, firstName: words.join(' ') || null, lastName: last, preferredName };
}
