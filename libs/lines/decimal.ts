import type { Kind } from '#libs/http/field.js';

/** Maximum number of decimals of quantities and percentages. */
export const PLACES = 4;
const SCALE = 10 ** PLACES;

/**
 * A number as an exact integer of ten-thousandths. The decimal point is moved in the text, without multiplication. Null
 * for more than {@link PLACES} decimals or a number that is not finite.
 */
export function toTenThousandths(value: number): bigint | null {
  if (!Number.isFinite(value)) return null;
  const [coefficient = '', power = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = coefficient.replace('-', '').split('.');
  const shift = Number(power) + PLACES - fraction.length;
  const digits = whole + fraction;
  if (shift < 0 && /[1-9]/.test(digits.slice(shift))) return null;
  const scaled = BigInt(shift >= 0 ? digits + '0'.repeat(shift) : digits.slice(0, shift) || '0');
  return coefficient.startsWith('-') ? -scaled : scaled;
}

/** The number for ten-thousandths: the closest double, as if parsed from decimal text. */
export function fromTenThousandths(scaled: number): number {
  return scaled / SCALE;
}

/** A number with at most {@link PLACES} decimals. */
export function decimal(bounds: { min: number; max: number }): Kind {
  const { min, max } = bounds;
  return {
    schema: { type: 'number', minimum: min, maximum: max },
    check: (value) => {
      if (typeof value !== 'number' || !Number.isFinite(value))
        return [{ code: 'invalid_type', detail: 'The value must be a number.' }];
      if (value < min || value > max)
        return [{ code: 'out_of_range', detail: `The value must be from ${min} to ${max}.` }];
      if (toTenThousandths(value) === null)
        return [{ code: 'too_many_decimals', detail: `The value may have at most ${PLACES} decimals.` }];
      return [];
    },
    parse: (value) => (/^-?\d{1,12}(\.\d{1,10})?$/.test(value) ? Number(value) : undefined),
  };
}

/** A percentage from 0 to 100 with at most {@link PLACES} decimals. */
export function percentage(): Kind {
  return decimal({ min: 0, max: 100 });
}
