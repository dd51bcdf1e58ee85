import { phoneNumber } from '#libs/http/phone-field.js';
import { emailAddress } from '#libs/http/email-field.js';
import { Field, flag, integer, type Kind, listOf, name, oneOf, text } from '#libs/http/field.js';
import { type Weekday, WEEKDAYS } from '#libs/kernel/civil-time.js';

export const EMPLOYMENT_TYPES = ['full_time', 'part_time', 'contractor', 'intern', 'temporary'] as const;
export type EmploymentType = (typeof EMPLOYMENT_TYPES)[number];
export const TERMINATION_TYPES = ['voluntary', 'involuntary', 'end_of_contract', 'other'] as const;
export type TerminationType = (typeof TERMINATION_TYPES)[number];

const HOLDER = { optional: true, nullable: true } as const;

/** ISO 3166 alpha-2. */
export const country = (): Kind =>
  text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/, form: 'an ISO 3166-1 alpha-2 code in capitals, such as DE' });
/** An identity card or account number; never the masked form that responses show. */
export const secretNumber = (): Kind =>
  text({
    min: 4,
    max: 64,
    pattern: /^[0-9A-Za-z][0-9A-Za-z ./()+-]*$/,
    form: 'a number of letters, digits, blanks and ./-+(), beginning with a letter or digit',
  });

function timeZone(): Kind {
  return {
    schema: { type: 'string', maxLength: 64 },
    check: (value) => {
      const known = typeof value === 'string' && value.length <= 64 && isTimeZone(value);
      return known
        ? []
        : [{ code: 'unknown_timezone', detail: 'The value must be a time zone such as Europe/Berlin.' }];
    },
    parse: (value) => value,
  };
}

function isTimeZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return !/^[+-]/.test(value);
  } catch {
    return false;
  }
}

/** A place of work. */
export class WorkLocation {
  @Field(country(), { description: 'ISO 3166-1 alpha-2 code of the country.', example: 'DE', ...HOLDER })
  country!: string | null;

  @Field(text({ max: 100 }), { description: 'Region or state.', ...HOLDER })
  region!: string | null;

  @Field(text({ max: 100 }), { description: 'City.', example: 'Berlin', ...HOLDER })
  city!: string | null;

  @Field(flag(), { description: 'Whether the employee works remotely.', ...HOLDER })
  remote!: boolean | null;

  @Field(timeZone(), { description: 'IANA time zone.', example: 'Europe/Berlin', ...HOLDER })
  timezone!: string | null;
}

/** A home address. */
export class EmployeeAddress {
  @Field(text({ max: 200 }), { description: 'First address line: street and number.', ...HOLDER })
  line1!: string | null;

  @Field(text({ max: 200 }), { description: 'Second address line.', ...HOLDER })
  line2!: string | null;

  @Field(text({ max: 40 }), { description: 'Postal code.', ...HOLDER })
  postalCode!: string | null;

  @Field(text({ max: 100 }), { description: 'City.', ...HOLDER })
  city!: string | null;

  @Field(text({ max: 100 }), { description: 'Region or state.', ...HOLDER })
  region!: string | null;

  @Field(country(), { description: 'ISO 3166-1 alpha-2 code of the country.', ...HOLDER })
  country!: string | null;
}

/** An emergency contact. */
export class EmergencyContact {
  @Field(name(), { description: 'Name of the contact.', example: 'Kim Okafor' })
  name!: string;

  @Field(text({ max: 60 }), { description: 'Relationship to the employee.', ...HOLDER })
  relationship!: string | null;

  @Field(phoneNumber(), { description: 'Telephone number.', ...HOLDER })
  phone!: string | null;

  @Field(emailAddress(), { description: 'E-mail address.', ...HOLDER })
  email!: string | null;
}

/** A skill of an employee. */
export class Skill {
  @Field(text({ min: 1, max: 60, pattern: /^\S(.*\S)?$/, form: 'on one line, without white space at its ends' }), {
    description: 'Name of the skill.',
    example: 'TypeScript',
  })
  name!: string;

  @Field(integer({ min: 1, max: 5 }), { description: 'Proficiency, from 1 (lowest) to 5 (highest).', example: 4 })
  level!: number;
}

/** A working schedule. */
export class WorkSchedule {
  @Field(integer({ min: 0, max: 10_080 }), { description: 'Working time in a week, in minutes.', example: 2400 })
  weeklyMinutes!: number;

  @Field(listOf(oneOf(WEEKDAYS), { min: 1, max: 7, unique: true }), {
    description: 'Working days of the week.',
    example: ['mon', 'tue', 'wed', 'thu', 'fri'],
  })
  days!: Weekday[];
}

/** 40 hours from Monday to Friday. */
export const USUAL_SCHEDULE: WorkSchedule = { weeklyMinutes: 2400, days: ['mon', 'tue', 'wed', 'thu', 'fri'] };

const PLACE: WorkLocation = { country: null, region: null, city: null, remote: null, timezone: null };
const HOME: EmployeeAddress = { line1: null, line2: null, postalCode: null, city: null, region: null, country: null };
const CONTACT = { relationship: null, phone: null, email: null };

/** Adds missing members. */
export const completeLocation = (location: Partial<WorkLocation> | null): WorkLocation | null =>
  location && { ...PLACE, ...location };
export const completeAddress = (address: Partial<EmployeeAddress> | null): EmployeeAddress | null =>
  address && { ...HOME, ...address };
export const completeContacts = (contacts: EmergencyContact[]): EmergencyContact[] =>
  contacts.map((contact) => ({ ...CONTACT, ...contact }));
