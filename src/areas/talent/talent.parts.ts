import { Field, flag, integer, type Kind, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { Problem } from '#libs/kernel/problem.js';

export const EMPLOYMENT_TYPES = ['full_time', 'part_time', 'contractor', 'intern', 'temporary'] as const;
export type EmploymentType = (typeof EMPLOYMENT_TYPES)[number];

/** A job title. */
export const jobTitle = (): Kind => text({ min: 1, max: 200 });

export const PAY_PERIODS = ['hour', 'month', 'year'] as const;
export type PayPeriod = (typeof PAY_PERIODS)[number];

export const SOURCES = [
  'careers_page',
  'referral',
  'agency',
  'sourced',
  'job_board',
  'internal',
  'event',
  'other',
] as const;
export type Source = (typeof SOURCES)[number];

const part = { optional: true, nullable: true } as const;

/** A place of work or residence. */
export class HiringPlace {
  @Field(text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/, form: 'an ISO 3166-1 alpha-2 code in capitals, such as DE' }), {
    description: 'ISO 3166 country code.',
    example: 'DE',
    ...part,
  })
  country!: string | null;

  @Field(text({ max: 100 }), { description: 'State or province.', ...part })
  region!: string | null;

  @Field(text({ max: 100 }), { description: 'City.', example: 'Berlin', ...part })
  city!: string | null;

  @Field(flag(), { description: 'Whether the work can be done remotely.', ...part })
  remote!: boolean | null;
}

/** A pay range, offered or expected. */
export class HiringPayRange {
  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Lower bound, in minor units.',
    example: 6000000,
    ...part,
  })
  minMinor!: number | null;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Upper bound, in minor units.',
    example: 7500000,
    ...part,
  })
  maxMinor!: number | null;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'EUR' })
  currency!: string;

  @Field(oneOf(PAY_PERIODS), { description: 'Period that the amounts are for.', example: 'year' })
  period!: PayPeriod;
}

/** The pay in an offer. */
export class OfferPay {
  @Field(integer({ min: 0, max: MAX_MINOR }), { description: 'Amount in minor units.', example: 7000000 })
  amountMinor!: number;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'EUR' })
  currency!: string;

  @Field(oneOf(PAY_PERIODS), { description: 'Period that the amount is for.', example: 'year' })
  period!: PayPeriod;
}

const NOWHERE: HiringPlace = { country: null, region: null, city: null, remote: null };

/** The stored form of a place after a merge patch. */
export function placeAfter(
  before: HiringPlace | null,
  patch: HiringPlace | null | undefined,
): HiringPlace | null | undefined {
  return patch && { ...NOWHERE, ...before, ...patch };
}

/** The stored form of a range. @throws Problem 400 at `pointer` when its end is below its start. */
export function rangeOf(range: HiringPayRange | null | undefined, pointer: string): HiringPayRange | null | undefined {
  if (!range) return range;
  const { minMinor = null, maxMinor = null, currency, period } = range;
  if (minMinor !== null && maxMinor !== null && maxMinor < minMinor)
    throw Problem.validation([
      { pointer: `${pointer}/maxMinor`, code: 'out_of_range', detail: 'The range ends before it begins.' },
    ]);
  return { minMinor, maxMinor, currency, period };
}

/** A filter by average score: 1 to 5 with up to two decimals, compared in hundredths. */
export function starsFilter(): Kind {
  const fault = [{ code: 'out_of_range', detail: 'The value must be from 1 to 5, with up to two decimals.' }];
  return {
    schema: { type: 'number', minimum: 1, maximum: 5 },
    check: (value) => {
      if (typeof value !== 'number') return [{ code: 'invalid_type', detail: 'The value must be a number.' }];
      return Number.isInteger(value) && value >= 100 && value <= 500 ? [] : fault;
    },
    parse: (value) => (/^-?\d{1,9}(\.\d{1,2})?$/.test(value) ? Math.round(Number(value) * 100) : undefined),
  };
}

/** The listed fields of `from` that are present. */
export function given<T extends object>(from: object, fields: readonly (keyof T)[]): Partial<T> {
  return Object.fromEntries(Object.entries(from).filter(([field]) => fields.includes(field as keyof T))) as Partial<T>;
}
