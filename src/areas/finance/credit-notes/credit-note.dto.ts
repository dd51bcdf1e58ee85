import { civilDate, Field, flag, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { LineInput, LineView, MAX_LINES, TaxBreakdownView } from '#libs/lines/line.dto.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { creditNoteLifecycle, type CreditNoteStatus } from './credit-note.lifecycle.js';

export const DISPOSITIONS = ['reduce_balance', 'refund', 'account_credit'] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

const sum = () => integer({ min: -MAX_MINOR, max: MAX_MINOR });
const reason = () => text({ min: 1, max: 500 });

export class CreateCreditNote extends RecordInput {
  @Field(name(), { description: 'Label; "Credit note" if not given.', example: 'Returned goods', optional: true })
  declare name: string;

  @Field(id(), { description: 'The invoice that it takes something back of.' })
  invoiceId!: string;

  @Field(reason(), { description: 'Why.', example: 'Returned goods' })
  reason!: string;

  @Field(listOf(nested(LineInput), { min: 1, max: MAX_LINES }), {
    description:
      'What is credited; in place of `amountMinor`. Prices include tax if those of the invoice do. Only at taxes of the invoice (409 `tax_mismatch`), and at each not more than is left of it (409 `amount_exceeds_balance`). Tax is what the invoice charged, in proportion: of the last credit it is all that is left. It is worked out again at issue, beside what has been credited by then.',
    optional: true,
  })
  lineItems!: LineInput[];

  @Field(integer({ min: 1, max: MAX_MINOR }), {
    description:
      'Amount with tax, in minor units, spread over what is left at each tax of the invoice. All that is left if neither this nor `lineItems` is given.',
    example: 6000,
    optional: true,
  })
  amountMinor!: number;

  @Field(oneOf(DISPOSITIONS), {
    description:
      'What happens to money that has been paid already and is not owed any more: `reduce_balance` (if not given) allows none, the others record that it was refunded, or leave it to the customer as credit.',
    optional: true,
  })
  disposition!: Disposition;
}

export class IssueCreditNote {
  @Field(civilDate(), { description: 'Day of issue; today if not given.', example: '2026-11-21', optional: true })
  issueDate!: string;
}

export class VoidCreditNote {
  @Field(reason(), { description: 'Why.', example: 'Issued by mistake' })
  reason!: string;
}

export const CREDIT_NOTE_INPUTS = { issue: IssueCreditNote, void: VoidCreditNote };

export const UpdateCreditNote = updateOf(
  'UpdateCreditNote',
  CreateCreditNote,
  { field: 'status', lifecycle: creditNoteLifecycle, inputs: CREDIT_NOTE_INPUTS },
  ['invoiceId'],
);

export class CreditNoteView extends RecordView {
  @Field(oneOf(creditNoteLifecycle.states), { description: 'Where it stands.', example: 'draft' })
  status!: CreditNoteStatus;

  @Field(text({ max: 40 }), { description: 'Number, without gaps; null in a draft.', nullable: true })
  number!: string | null;

  @Field(id(), { description: 'The invoice that it takes something back of.' })
  invoiceId!: string;

  @Field(id(), { description: 'Customer.', nullable: true })
  accountId!: string | null;

  @Field(currencyCode(), { description: 'ISO 4217 code, that of the invoice.', example: 'USD' })
  currency!: string;

  @Field(text({ max: 500 }), { description: 'Why.', example: 'Returned goods' })
  reason!: string;

  @Field(oneOf(DISPOSITIONS), { description: 'What happens to money that has been paid already.' })
  disposition!: Disposition;

  @Field(flag(), { description: 'Whether unit prices include tax.' })
  taxInclusive!: boolean;

  @Field(listOf(nested(LineView), { max: MAX_LINES }), { description: 'What is credited.' })
  lineItems!: LineView[];

  @Field(sum(), { description: 'Sum of the gross amounts of the lines, in minor units.', example: 5000 })
  subtotalMinor!: number;

  @Field(sum(), { description: 'Discounts, in minor units.', example: 0 })
  discountMinor!: number;

  @Field(sum(), { description: 'Tax, in minor units.', example: 1000 })
  taxMinor!: number;

  @Field(sum(), { description: 'What is credited, with tax, in minor units.', example: 6000 })
  totalMinor!: number;

  @Field(listOf(nested(TaxBreakdownView), { max: MAX_LINES }), { description: 'Taxes.', example: [] })
  taxBreakdown!: TaxBreakdownView[];

  @Field(civilDate(), { description: 'Day of issue; null in a draft.', nullable: true })
  issueDate!: string | null;

  @Field(instant(), { description: 'When it was applied to its invoice.', nullable: true })
  appliedAt!: string | null;

  @Field(instant(), { description: 'When it was voided.', nullable: true })
  voidedAt!: string | null;

  @Field(text({ max: 500 }), { description: 'Why it was voided.', nullable: true })
  voidReason!: string | null;
}
