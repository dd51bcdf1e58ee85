import { Column } from 'typeorm';
import { emailAddress } from '#libs/http/email-field.js';
import { civilDate, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { LineInput, LineView, MAX_LINES, TaxBreakdownView } from '#libs/lines/line.dto.js';
import { MAIL_STATES, MAIL_STATES_TEXT, type MailState } from '#libs/mail/mail-states.js';
import { Attribute, Derived, ReadOnly, WriteOnly } from '#libs/resource/types/attribute.js';
import { workspaceOfWhole } from '#libs/resource/types/part-of.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { type EInvoiceData, EInvoiceView } from '../e-invoices/e-invoice.js';
import { INVOICE, RETAINED_DAYS } from '../references.js';
import { CREDIT_NOTE_INPUTS, reason } from './credit-note.actions.js';
import { type CreditNoteAction, creditNoteLifecycle, type CreditNoteStatus } from './credit-note.lifecycle.js';

const DISPOSITIONS = ['reduce_balance', 'refund', 'account_credit'] as const;
const INVOICE_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1c17';
const REFUND = [{ scope: 'payments:refund', when: 'With the disposition `refund`.' }] as const;
const sum = integer({ min: -MAX_MINOR, max: MAX_MINOR });

/** A credit for an invoice. */
export class CreditNote extends RecordRow {
  @ReadOnly(oneOf(creditNoteLifecycle.states), 'State of the credit note.', { example: 'draft', filter: true })
  status!: CreditNoteStatus;

  @ReadOnly(text({ max: 40 }), 'Number of the document, from a series without gaps; null in a draft.', {
    nullable: true,
    filter: true,
    sort: true,
  })
  number!: string | null;

  @Attribute(id(), 'Invoice that is credited. Cannot be changed later.', {
    example: INVOICE_ID,
    once: true,
    filter: true,
  })
  invoiceId!: string;

  @ReadOnly(id(), 'Account of the customer.', {
    nullable: true,
    names: { table: 'data.sales_accounts' },
    filter: true,
  })
  accountId!: string | null;

  @ReadOnly(currencyCode(), 'ISO 4217 code, that of the invoice.', { example: 'USD', filter: true })
  currency!: string;

  @Attribute(reason, 'Reason for the credit.', { example: 'Returned goods' })
  reason!: string;

  @Attribute(
    oneOf(DISPOSITIONS),
    'Use of money that has been paid already and is no longer owed: `reduce_balance` (by default) allows none, `refund` records that it was refunded, `account_credit` leaves it to the customer as credit.',
    { default: 'reduce_balance', filter: true },
  )
  disposition!: (typeof DISPOSITIONS)[number];

  @ReadOnly(flag(), 'Whether unit prices include tax.', { example: true })
  taxInclusive!: boolean;

  @Attribute(
    listOf(nested(LineView), { max: MAX_LINES }),
    'Lines that are credited, in place of `amountMinor`. Prices include tax if those of the invoice do. Only taxes of the invoice can be credited (409 `tax_mismatch`), each by at most what is left of it (409 `amount_exceeds_balance`). The tax is that of the invoice in proportion; the last credit takes all that is left. Taxes are worked out again at issue, after the credits that have been issued by then.',
    { given: listOf(nested(LineInput), { min: 1, max: MAX_LINES }), optional: true },
  )
  lineItems!: LineView[];

  @WriteOnly(
    integer({ min: 1, max: MAX_MINOR }),
    'Amount with tax in minor units, spread over what is left at each tax of the invoice. Without `lineItems` it is by default all that is left.',
    { example: 6000 },
  )
  amountMinor?: number;

  @ReadOnly(sum, 'Sum of the lines before discounts, in minor units.', { example: 6000 })
  subtotalMinor!: number;

  @ReadOnly(sum, 'Sum of the discounts, in minor units.', { example: 0 })
  discountMinor!: number;

  @ReadOnly(sum, 'Sum of the taxes, in minor units.', { example: 1000 })
  taxMinor!: number;

  @ReadOnly(sum, 'Total after discounts and with tax, in minor units.', { example: 6000, filter: true, sort: true })
  totalMinor!: number;

  /** The total in the tenant's currency, null until it is issued. */
  @Column('bigint', { name: 'base_total_minor', nullable: true })
  baseTotalMinor!: number | null;

  @Column('bigint', { name: 'base_tax_minor', nullable: true })
  baseTaxMinor!: number | null;

  @ReadOnly(listOf(nested(TaxBreakdownView), { max: MAX_LINES }), 'Taxes, each over all lines.', { example: [] })
  taxBreakdown!: TaxBreakdownView[];

  @Derived(nested(EInvoiceView), 'Electronic form by `finance.eInvoice` of the settings; null if there is none.', {
    example: { format: 'factur_x', missingFields: [] },
    nullable: true,
    told: false,
  })
  eInvoice?: EInvoiceView | null;

  /** Null in a draft, and without an electronic form. */
  @Column('jsonb', { name: 'e_invoice', nullable: true })
  eInvoiceData!: EInvoiceData | null;

  @ReadOnly(civilDate(), 'Date of issue; null in a draft.', { nullable: true, filter: true, sort: true })
  issueDate!: string | null;

  @ReadOnly(instant(), 'Time at which it was last sent.', { nullable: true })
  sentAt!: string | null;

  @ReadOnly(listOf(emailAddress(), { max: 20 }), 'Recipients when it was last sent.', {
    default: [],
    privacy: 'personal',
  })
  sentTo!: string[];

  @ReadOnly(text({ max: 5_000 }), 'Message to these recipients.', { nullable: true, privacy: 'personal' })
  sentMessage!: string | null;

  @Derived(
    oneOf(MAIL_STATES),
    `State of the newest mail about it, where one credit note is read; null elsewhere, and if there is none. ${MAIL_STATES_TEXT}`,
    { example: 'sent', nullable: true, told: false },
  )
  mailStatus?: MailState | null;

  @ReadOnly(instant(), 'Time at which it was applied to its invoice.', { nullable: true })
  appliedAt!: string | null;

  @ReadOnly(instant(), 'Time at which it was voided.', { nullable: true })
  voidedAt!: string | null;

  @ReadOnly(text({ max: 500 }), 'Reason for voiding it.', { nullable: true })
  voidReason!: string | null;
}

/** A credit note as the API shows it. */
export type ShownCreditNote = Shown<CreditNote>;

/** Request body that creates or changes a credit note. */
export type CreditNoteInput = Partial<Omit<CreditNote, 'lineItems'>> & { lineItems?: LineInput[] };

const type = recordType<CreditNote, CreditNoteAction>(CreditNote, {
  area: 'finance',
  collection: 'credit-notes',
  noun: 'credit note',
  prefix: 'CRN',
  retention: ['issueDate'],
  retainAtLeast: RETAINED_DAYS,
  partOf: 'invoiceId',
  permissions: { read: 'credit-notes:read', write: 'credit-notes:write' },
  reach: { workspace: workspaceOfWhole(INVOICE.table, 'invoice_id') },
  name: { example: 'Returned goods', about: 'Label; `Credit note` by default.', default: 'Credit note' },
  named: { invoiceId: INVOICE },
  lifecycle: creditNoteLifecycle,
  inputs: CREDIT_NOTE_INPUTS,
  besides: { create: [...REFUND], update: [...REFUND] },
  problems: {
    create: ['amount_exceeds_balance', 'tax_mismatch'],
    update: ['record_locked', 'amount_exceeds_balance', 'tax_mismatch', 'required_fields_missing'],
    issue: ['amount_exceeds_balance', 'tax_mismatch', 'required_fields_missing', 'e_invoice_incomplete'],
    send: ['recipient_missing'],
    apply: ['amount_exceeds_balance', 'gate_denied'],
    void: ['source_already_billed', 'source_not_billable'],
  },
  bodies: {
    create: { invoiceId: INVOICE_ID, amountMinor: 6000, reason: 'Returned goods' },
    update: { disposition: 'account_credit' },
    send: { to: ['billing@globex.example'] },
  },
});

export const creditNotes = { ...type, example: { ...type.example, lineItems: [] } };
