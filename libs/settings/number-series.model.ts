import { Field, integer, oneOf, text } from '#libs/http/field.js';
import { type Numbering, type Resets, RESETS } from '#libs/kernel/number-pattern.js';

/** Longest pattern. */
export const MAX_PATTERN = 40;

/** How documents of a kind are numbered. */
export class DocumentNumbers implements Numbering {
  @Field(text({ min: 1, max: MAX_PATTERN }), {
    description:
      'Letters, digits, spaces and ./_- with `{YYYY}`, `{YY}`, `{MM}` of the date of the document and once the count, such as `{seq:5}` for five digits.',
    example: 'INV-{YYYY}-{seq:5}',
  })
  pattern!: string;

  @Field(oneOf(RESETS), {
    description: 'When the count restarts at 1. The pattern then has to contain the year, or year and month.',
    example: 'yearly',
  })
  resets!: Resets;

  @Field(integer({ min: 1, max: 999_999_999 }), {
    description: 'Count of the very first document; fixed once there is one.',
    example: 1,
  })
  startAt!: number;
}

export class InvoiceNumbers extends DocumentNumbers {}
export class CreditNoteNumbers extends DocumentNumbers {}

/** The series of numbers that the settings describe, by what the settings call them. */
export const DOCUMENT_SERIES = { invoice: 'finance.invoice', creditNote: 'finance.credit_note' } as const;
