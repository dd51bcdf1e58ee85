import { Field, integer, oneOf, text } from '#libs/http/field.js';
import { type Numbering, type Resets, RESETS } from '#libs/kernel/number-pattern.js';

/** Maximum length of a pattern. */
export const MAX_PATTERN = 40;

/** The numbering of one kind of document. */
export class DocumentNumbers implements Numbering {
  @Field(text({ min: 1, max: MAX_PATTERN }), {
    description:
      'Letters, digits, spaces and ./_- with the counter exactly once, such as `{seq:5}` for five digits, and optionally `{YYYY}`, `{YY}` or `{MM}` of the document date.',
    example: 'INV-{YYYY}-{seq:5}',
  })
  pattern!: string;

  @Field(oneOf(RESETS), {
    description: 'When the counter restarts at 1. The pattern must then contain the year, or the year and month.',
    example: 'yearly',
  })
  resets!: Resets;

  @Field(integer({ min: 1, max: 999_999_999 }), {
    description: 'Counter value of the first document. It is fixed once a document is numbered.',
    example: 1,
  })
  startAt!: number;
}

export class InvoiceNumbers extends DocumentNumbers {}
export class CreditNoteNumbers extends DocumentNumbers {}

/** Document series by name in the settings. */
export const DOCUMENT_SERIES = { invoice: 'finance.invoice', creditNote: 'finance.credit_note' } as const;
