import { Problem } from '#libs/kernel/problem.js';

/** The names of a person, as far as somebody gave them. */
export interface GivenNames {
  name?: string;
  firstName?: string | null;
  lastName?: string | null;
  preferredName?: string | null;
}

/**
 * All names of a new employee: the display name is the preferred one or first and last name; first and last name are the
 * parts of a display name that stands alone, whose last word is the last name.
 * @throws Problem 400 when nothing can be displayed.
 */
export function namesOf({ name, firstName = null, lastName = null, preferredName = null }: GivenNames) {
  const full = firstName !== null && lastName !== null ? `${firstName.trim()} ${lastName.trim()}` : null;
  const shown = name?.trim() ?? preferredName?.trim() ?? full;
  if (shown === null)
    throw Problem.validation([
      { pointer: '/name', code: 'required', detail: 'Give a name, or first name and last name.' },
    ]);
  if (firstName !== null || lastName !== null)
    return { name: [...shown].slice(0, 200).join(''), firstName, lastName, preferredName };
  const words = shown.split(/\s+/u);
  const last = words.pop()!;
  return { name: shown, firstName: words.join(' ') || null, lastName: last, preferredName };
}
