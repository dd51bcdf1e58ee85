import { number, type Kind } from '#libs/http/field.js';

/** Types of time off, each with its own balance. */
export const TIME_OFF_TYPES = ['vacation', 'sick', 'personal', 'parental', 'unpaid', 'other'] as const;
export type TimeOffType = (typeof TIME_OFF_TYPES)[number];

/** A number of days in steps of half a day. Stored as half days. */
export function days(bounds: { min: number; max: number }): Kind {
  const plain = number(bounds);
  return {
    ...plain,
    schema: { ...plain.schema, multipleOf: 0.5 },
    check: (value) => {
      const faults = plain.check(value);
      if (faults.length > 0) return faults;
      const isWhole = Number.isInteger((value as number) * 2);
      return isWhole ? [] : [{ code: 'out_of_range', detail: 'Days come in halves, such as 2.5.' }];
    },
  };
}

export const toHalfDays = (value: number): number => value * 2;
export const toDays = (halfDays: number): number => halfDays / 2;
