import { emailAddress } from '#libs/http/email-field.js';
import { isBeyondLatin, toLatin } from '#libs/kernel/latin.js';
import type { Violation } from '#libs/kernel/problem.js';
import type { MappingDefaults } from './mapping-values.js';

const PLACEHOLDERS = ['firstName', 'lastName', 'firstInitial'] as const;
const PLACE = /\{\{ *(\w+) *\}\}/g;

/** The names that placeholders stand for. */
export interface PersonName {
  name: string;
  firstName: string | null;
  lastName: string | null;
}

/** Unknown placeholders in the default values of a template, and a work address that cannot become valid. */
export function placeholderFaults({ jobTitle, workEmail }: Partial<MappingDefaults>): Violation[] {
  return [
    ...unknownIn('/defaults/jobTitle', jobTitle),
    ...unknownIn('/defaults/workEmail', workEmail),
    ...(workEmail ? emailAddress().check(workEmail.replaceAll(PLACE, 'x')) : []).map(({ code, detail }) => ({
      pointer: '/defaults/workEmail',
      code,
      detail,
    })),
  ];
}

/** A text with names filled in; null if a name is unknown. */
export function filled(template: string | null | undefined, person: PersonName): string | null {
  return template ? fill(template, person, (name) => name) : null;
}

/** A work address with names filled in, in basic lower-case letters; null if it is not valid or a name has others. */
export function filledEmail(template: string | null | undefined, person: PersonName): string | null {
  const address = template ? fill(template, person, asciiOf) : null;
  return address !== null && emailAddress().check(address).length === 0 ? address : null;
}

function fill(template: string, person: PersonName, form: (name: string) => string): string | null {
  const { firstName, lastName } = partsOf(person);
  const names = { firstName, lastName, firstInitial: [...(firstName ?? '')][0] ?? null };
  let isWhole = true;
  const text = template.replaceAll(PLACE, (_, key: keyof typeof names) => {
    const name = form(names[key] ?? '');
    isWhole &&= name !== '';
    return name;
  });
  return isWhole ? text : null;
}

/** First and last name; from the words of the full name if neither is known. */
function partsOf({ name, firstName, lastName }: PersonName): Omit<PersonName, 'name'> {
  if (firstName !== null || lastName !== null) return { firstName, lastName };
  const words = name.trim().split(/\s+/u);
  const last = words.pop() ?? null;
  return { firstName: words.join(' ') || null, lastName: last };
}

/** Empty for a name in a script without a rule: no address is better than a part of one. */
function asciiOf(name: string): string {
  const latin = toLatin(name);
  return isBeyondLatin(latin) ? '' : latin.toLowerCase().replaceAll(/[^a-z0-9-]/g, '');
}

function unknownIn(pointer: string, template: string | null | undefined): Violation[] {
  if (!template) return [];
  const known = new RegExp(String.raw`\{\{ *(${PLACEHOLDERS.join('|')}) *\}\}`, 'g');
  if (!/[{}]/.test(template.replaceAll(known, ''))) return [];
  const detail = `The placeholders are ${PLACEHOLDERS.map((each) => `{{${each}}}`).join(', ')}.`;
  return [{ pointer, code: 'unknown_placeholder', detail }];
}
