import { civilDate, Field, integer, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';

export const DEAL_TYPES = ['new_business', 'expansion', 'renewal'] as const;
export const DEAL_SOURCES = [
  'inbound',
  'outbound',
  'referral',
  'partner',
  'event',
  'demo_request',
  'import',
  'other',
] as const;

export const stageKey = text({ min: 1, max: 40 });
export const percent = integer({ min: 0, max: 100 });
export const dealAmount = integer({ min: 0, max: MAX_MINOR });
export const lossNotes = text({ max: 5_000 });
export const competitorName = text({ max: 200 });

/** Recurring revenue of a deal. */
export class Recurring {
  @Field(integer({ min: 1, max: 12 }), { description: 'Months from one payment to the next.', example: 12 })
  intervalMonths!: number;

  @Field(dealAmount, { description: 'Amount of each payment in minor units.', example: 2500000 })
  amountMinor!: number;

  @Field(integer({ min: 1, max: 600 }), { description: 'Length of the contract in months.', example: 24 })
  termMonths!: number;

  @Field(civilDate(), { description: 'First day of the contract.', example: '2027-01-01' })
  startDate!: string;
}
