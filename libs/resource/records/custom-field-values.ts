import { addressSpelling } from '#libs/kernel/domain.js';
import {
  civilDate,
  Field,
  flag,
  id,
  instant,
  integer,
  type Kind,
  listOf,
  nested,
  number,
  oneOf,
  spelled,
  text,
} from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { LinearPattern } from '#libs/kernel/linear-pattern.js';
import { MAX_MINOR } from '#libs/kernel/money.js';

export const CUSTOM_FIELD_TYPES = [
  'text',
  'long_text',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'select',
  'multi_select',
  'url',
  'email',
  'money',
  'member',
  'reference',
] as const;
export type CustomFieldType = (typeof CUSTOM_FIELD_TYPES)[number];

/** Validation rules of a custom field. */
export interface CustomFieldRules {
  fieldType: CustomFieldType;
  /** Options of select and multi_select. */
  options: readonly string[];
  /** Smallest and largest number, or the length limits of a text; null for the limits of the type. */
  min: number | null;
  max: number | null;
  /** See {@link LinearPattern}. */
  pattern: string | null;
}

/** Largest lengths of texts. */
export const MAX_LENGTHS: Partial<Record<CustomFieldType, number>> = {
  text: 500,
  long_text: 20_000,
  url: 2_000,
  email: 254,
};
/** Largest numbers; the negative limits are symmetric. */
export const MAX_NUMBERS: Partial<Record<CustomFieldType, number>> = {
  integer: Number.MAX_SAFE_INTEGER,
  number: 1e12,
  money: MAX_MINOR,
};
export const MAX_OPTIONS = 100;
export const MAX_OPTION_LENGTH = 100;

const DECIMALS = /^-?\d+(\.\d{1,4})?$/;
const EMAIL = /^[^\s@<>(),;:"[\]\\]{1,64}@[^\s@<>(),;:"[\]\\]+\.[^\s@<>(),;:"[\]\\]+$/;

/** An amount of money as the value of a custom field. */
export class CustomMoney {
  @Field(integer({ min: -MAX_MINOR, max: MAX_MINOR }), { description: 'Amount in minor units.', example: 2500000 })
  amountMinor!: number;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;
}

/** The values that a custom field accepts. */
export function kindOf(rules: CustomFieldRules): Kind {
  const { fieldType, options, min, max, pattern } = rules;
  const [length, limit] = [MAX_LENGTHS[fieldType] ?? 0, MAX_NUMBERS[fieldType] ?? 0];
  const words = (lines = false) => text({ min: min ?? 0, max: max ?? length, lines });
  const bounds = { min: min ?? -limit, max: max ?? limit };
  switch (fieldType) {
    case 'text':
      return pattern === null ? words() : matching(words(), pattern);
    case 'long_text':
      return words(true);
    case 'url':
      return also(words(), isWebAddress, 'invalid_url', 'The value must be an http or https address.');
    case 'email':
      return spelled(
        also(
          words(),
          (value) => EMAIL.test(addressSpelling(String(value))),
          'invalid_email',
          'The value must be an e-mail address.',
        ),
        addressSpelling,
      );
    case 'integer':
      return integer(bounds);
    case 'number':
      return also(
        number(bounds),
        (value) => DECIMALS.test(String(value)),
        'too_many_decimals',
        'The value may have at most 4 decimals.',
      );
    case 'money':
      return also(
        nested(CustomMoney),
        (value) => within((value as CustomMoney).amountMinor, bounds),
        'out_of_range',
        `The amount must be from ${bounds.min} to ${bounds.max}.`,
      );
    case 'boolean':
      return flag();
    case 'date':
      return civilDate();
    case 'datetime':
      return instant();
    case 'select':
      return choice(options);
    case 'multi_select':
      return listOf(choice(options), { max: MAX_OPTIONS, unique: true });
    case 'member':
    case 'reference':
      return id();
  }
}

/** All values that a custom field of a type may ever have accepted, whatever its definition says now. */
export function formOf(fieldType: CustomFieldType): Kind {
  if (fieldType === 'select') return text({ max: MAX_OPTION_LENGTH });
  if (fieldType === 'multi_select') return listOf(text({ max: MAX_OPTION_LENGTH }), { max: MAX_OPTIONS });
  return kindOf({ fieldType, options: [], min: null, max: null, pattern: null });
}

/** The canonical form in which a value is stored and compared. */
export function canonical({ fieldType, kind }: { fieldType: CustomFieldType; kind: Kind }, value: unknown): unknown {
  if (fieldType === 'datetime') return new Date(String(value)).toISOString();
  return kind.spell ? kind.spell(value) : value;
}

function choice(options: readonly string[]): Kind {
  return {
    ...oneOf(options),
    check: (value) =>
      oneOf(options)
        .check(value)
        .map((fault) => ({ ...fault, code: 'unknown_option' })),
  };
}

function matching(kind: Kind, source: string): Kind {
  const pattern = new LinearPattern(source);
  return also(kind, (value) => pattern.matches(String(value)), 'invalid_format', `The text must match ${source}.`);
}

/** A kind with an additional rule for otherwise valid values. */
function also(kind: Kind, isRight: (value: unknown) => boolean, code: string, detail: string): Kind {
  return {
    ...kind,
    check: (value) => {
      const faults = kind.check(value);
      return faults.length > 0 || isRight(value) ? faults : [{ code, detail }];
    },
  };
}

function isWebAddress(value: unknown): boolean {
  const text = String(value);
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

function within(value: number, { min, max }: { min: number; max: number }): boolean {
  return value >= min && value <= max;
}
