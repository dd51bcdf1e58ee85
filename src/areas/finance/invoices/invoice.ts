import { Column } from 'typeorm';
import { emailAddress } from '#libs/http/email-field.js';
import { civilDate, flag, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { MAX_LINES, TaxBreakdownView } from '#libs/lines/line.dto.js';
import { MAIL_STATES, MAIL_STATES_TEXT, type MailState } from '#libs/mail/mail-states.js';
import { Attribute, Derived, Mapped, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { paymentTerms } from '#libs/settings/settings.model.js';
import { type EInvoiceData, EInvoiceView } from '../e-invoices/e-invoice.js';
import { LIVE_ACCOUNT, RETAINED_DAYS } from '../references.js';
import { INVOICE_INPUTS } from './invoice.actions.js';
import { type InvoiceAction, invoiceLifecycle, type InvoiceStatus, STATUS_SQL, storedAs } from './invoice.lifecycle.js';
import {
  CUSTOMER_EXAMPLE,
  DOCUMENT_FIELDS,
  DunningInput,
  DunningView,
  ExchangeInput,
  ExchangeView,
  InvoiceCustomer,
  InvoiceLine,
  InvoiceLineInput,
  InvoiceSeller,
  InvoiceWarning,
  language,
  LINE_EXAMPLE,
} from './invoice.parts.js';
import { INVOICE_PROBLEMS } from './invoice.problems.js';

const signed = integer({ min: -MAX_MINOR, max: MAX_MINOR });
const share = integer({ min: 0, max: MAX_MINOR });

/** An invoice to a customer. A draft becomes a document when it is issued. */
export class Invoice extends RecordRow {
  @ReadOnly(text({ max: 60 }), 'Number of the document; null in a draft.', {
    example: 'INV-2026-00042',
    nullable: true,
    filter: true,
    sort: true,
  })
  number!: string | null;

  /** The stored status. An open invoice is overdue from `overdueAt`, whether or not this has been stored. */
  @ReadOnly(oneOf(invoiceLifecycle.states), 'State of the invoice. An open one is `overdue` after its due date.', {
    example: 'issued',
    filter: {
      ...filter.exact(oneOf(invoiceLifecycle.states)),
      sql: STATUS_SQL,
      stored: { column: 'status', valuesFor: storedAs },
    },
  })
  status!: InvoiceStatus;

  @Column('timestamptz', { name: 'overdue_at', nullable: true })
  overdueAt!: string | null;

  @Derived(flag(), 'Whether an amount is still open after the due date.', {
    example: false,
    filter: {
      ...filter.condition(`((${STATUS_SQL}) = 'overdue')`),
      stored: { column: 'status', valuesFor: (value) => (value === true ? storedAs('overdue') : null) },
    },
  })
  isOverdue?: boolean;

  @Attribute(id(), 'Account that is charged.', { nullable: true, names: LIVE_ACCOUNT, filter: true })
  accountId!: string | null;

  @Attribute(
    nested(InvoiceCustomer),
    'Customer as the document names it; if null, it is taken from the account at issue. Fixed from the issue on.',
    { example: CUSTOMER_EXAMPLE, nullable: true, privacy: 'personal' },
  )
  customer!: InvoiceCustomer | null;

  @ReadOnly(nested(InvoiceSeller), 'Tenant as the document names it; null in a draft.', {
    example: { legalName: 'Acme Ltd', address: '2 Main Street\nLondon', taxId: 'GB123456789', bank: null },
    nullable: true,
    privacy: 'sensitive',
  })
  seller!: InvoiceSeller | null;

  @Attribute(
    currencyCode(),
    'ISO 4217 code; by default that of the account, else the tenant’s base currency. Fixed once there is a line.',
    { example: 'USD', optional: true, filter: true },
  )
  currency!: string;

  @Mapped(
    number({ min: -MAX_MINOR, max: MAX_MINOR }),
    'Total in major units. A new invoice can be given it in place of lines, with at most as many decimals as the currency has: it gets one untaxed line “Services”.',
    { example: 360, given: number({ min: 0, max: MAX_MINOR }), nullable: 'given', once: true },
  )
  amount?: number;

  @Attribute(listOf(nested(InvoiceLine), { max: MAX_LINES }), 'Lines of the invoice.', {
    given: listOf(nested(InvoiceLineInput), { max: MAX_LINES }),
    optional: true,
  })
  lineItems!: InvoiceLine[];

  @Attribute(flag(), 'Whether unit prices include tax; false by default.', { default: false })
  taxInclusive!: boolean;

  @ReadOnly(signed, 'Sum of the lines before discounts, in minor units.', { example: 30000 })
  subtotalMinor!: number;

  @ReadOnly(signed, 'Sum of the discounts, in minor units.', { example: 0 })
  discountMinor!: number;

  @ReadOnly(signed, 'Total after discounts and without tax, in minor units.', { example: 30000 })
  netMinor!: number;

  @ReadOnly(signed, 'Sum of the taxes, in minor units.', { example: 6000 })
  taxMinor!: number;

  @ReadOnly(signed, 'Total after discounts and with tax, in minor units.', { example: 36000, filter: true, sort: true })
  totalMinor!: number;

  @ReadOnly(listOf(nested(TaxBreakdownView), { max: MAX_LINES }), 'Taxes, each over all lines.', {
    example: [{ taxRateId: null, name: null, percent: 20, baseMinor: 30000, taxMinor: 6000 }],
  })
  taxBreakdown!: TaxBreakdownView[];

  @ReadOnly(share, 'Amount paid, in minor units.', { default: 0 })
  amountPaidMinor!: number;

  @ReadOnly(share, 'Amount credited, in minor units.', { default: 0 })
  amountCreditedMinor!: number;

  @ReadOnly(share, 'Amount written off, in minor units.', { default: 0 })
  writtenOffMinor!: number;

  @ReadOnly(signed, 'Open amount in minor units: the total less what was paid, credited and written off.', {
    example: 36000,
    filter: true,
    sort: true,
  })
  balanceMinor!: number;

  @Attribute(civilDate(), 'Date of the document; by default the day of its issue.', {
    example: '2026-11-21',
    nullable: true,
    filter: true,
    sort: true,
  })
  issueDate!: string | null;

  @Attribute(civilDate(), 'Date by which it has to be paid; by default the issue date plus the payment terms.', {
    example: '2026-12-21',
    nullable: true,
    filter: true,
    sort: true,
  })
  dueDate!: string | null;

  @Attribute(
    integer({ min: 0, max: 3_650 }),
    'Days to pay in; by default those of the account, else of the tenant’s settings. More than 365 only where an account allowed more at issue.',
    { example: 30, given: paymentTerms(), nullable: true },
  )
  paymentTermsDays!: number | null;

  @Attribute(text({ max: 100 }), 'Purchase order number of the customer.', { nullable: true })
  poNumber!: string | null;

  @Attribute(text({ max: 5_000 }), 'Internal notes; no part of the document.', { nullable: true, privacy: 'personal' })
  notes!: string | null;

  @Attribute(text({ max: 5_000 }), 'Terms that the document states.', { nullable: true })
  terms!: string | null;

  @Attribute(language(), 'Language of the document, as a BCP 47 tag.', { example: 'en-GB', nullable: true })
  language!: string | null;

  @Attribute(id(), 'Deal that it charges for.', {
    nullable: true,
    names: { table: 'data.sales_deals' },
    filter: true,
  })
  dealId!: string | null;

  @Attribute(id(), 'Accepted proposal that it charges for.', {
    nullable: true,
    names: { table: 'data.proposals_proposals' },
    filter: true,
  })
  proposalId!: string | null;

  @Attribute(id(), 'Project that it charges for.', {
    nullable: true,
    names: { table: 'data.work_projects' },
    filter: true,
  })
  projectId!: string | null;

  @Attribute(text({ max: 200 }), 'Reference of the purchase that the customer gave.', { nullable: true })
  purchaseRef!: string | null;

  @Mapped(
    nested(ExchangeView),
    'Exchange rate to book it with. Required at issue if the currency is not the tenant’s base currency; null if it is.',
    { given: nested(ExchangeInput), nullable: true },
  )
  exchange?: ExchangeView | null;

  /** Null if the invoice is in the tenant's currency. */
  @Column('text', { name: 'exchange_rate', nullable: true })
  exchangeRate!: string | null;

  @Column('text', { name: 'base_currency', nullable: true })
  baseCurrency!: string | null;

  @Column('bigint', { name: 'base_total_minor', nullable: true })
  baseTotalMinor!: number | null;

  @ReadOnly(
    text({ min: 64, max: 64 }),
    `SHA-256, in hexadecimal, of the canonical JSON (RFC 8785) of the fields that the issue fixed: ${DOCUMENT_FIELDS.join(', ')}. Null in a draft.`,
    { example: '0d5cd6ac35a37f6e3ad1d0f0d7a0f0a3d5a2c2b6a3a4e7a1b8f6c3d2e1f0a9b8', nullable: true },
  )
  contentHash!: string | null;

  @Derived(
    nested(EInvoiceView),
    'Electronic form by `finance.eInvoice` of the settings; null if there is none. Of drafts, it is shown where one invoice is read.',
    { example: { format: 'factur_x', missingFields: [] }, nullable: true, told: false },
  )
  eInvoice?: EInvoiceView | null;

  /** Null in a draft, and without an electronic form. */
  @Column('jsonb', { name: 'e_invoice', nullable: true })
  eInvoiceData!: EInvoiceData | null;

  @ReadOnly(instant(), 'Time at which it was last sent.', { nullable: true, filter: true })
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
    `State of the newest mail or reminder to the customer, where one invoice is read; null elsewhere, and if there is none. ${MAIL_STATES_TEXT}`,
    { example: 'sent', nullable: true, told: false },
  )
  mailStatus?: MailState | null;

  @ReadOnly(instant(), 'Time at which it was first opened by a public link.', { nullable: true })
  viewedAt!: string | null;

  @ReadOnly(instant(), 'Time since which nothing is open; null while an amount is.', { nullable: true, filter: true })
  paidAt!: string | null;

  @ReadOnly(instant(), 'Time at which it was voided.', { nullable: true })
  voidedAt!: string | null;

  @ReadOnly(text({ max: 500 }), 'Reason for voiding it.', { nullable: true })
  voidReason!: string | null;

  @ReadOnly(listOf(nested(InvoiceWarning), { max: 10 }), 'Warnings about its issue.', { default: [] })
  warnings!: InvoiceWarning[];

  @Mapped(
    nested(DunningView),
    'Reminders that are mailed to the customer on the `dunningDays` of the settings, until the invoice is settled. Days that passed while the platform could not send lead to one reminder.',
    {
      given: nested(DunningInput),
      example: {
        paused: false,
        level: 1,
        lastSentAt: '2026-12-24T09:00:00.412Z',
        nextAt: '2026-12-28T09:00:00.000Z',
        notSentReason: null,
      },
      optional: true,
    },
  )
  dunning?: DunningView;

  @Column('boolean', { name: 'dunning_paused' })
  dunningPaused!: boolean;

  @Column('integer', { name: 'dunning_level' })
  dunningLevel!: number;

  @Column('timestamptz', { name: 'dunning_last_sent_at', nullable: true })
  dunningLastSentAt!: string | null;

  @Column('timestamptz', { name: 'dunning_next_at', nullable: true })
  dunningNextAt!: string | null;

  @Column('text', { name: 'dunning_not_sent_reason', nullable: true })
  dunningNotSentReason!: DunningView['notSentReason'];
}

/** An invoice as the API shows it. */
export type ShownInvoice = Required<Shown<Invoice>>;

/** Request body that creates or changes an invoice. */
export type InvoiceInput = Partial<Omit<Invoice, 'amount' | 'lineItems' | 'exchange' | 'dunning'>> & {
  amount?: number | null;
  lineItems?: InvoiceLineInput[];
  exchange?: ExchangeInput | null;
  dunning?: DunningInput;
};

const type = recordType<Invoice, InvoiceAction>(Invoice, {
  area: 'finance',
  collection: 'invoices',
  noun: 'invoice',
  prefix: 'INV',
  retention: ['issueDate'],
  retainAtLeast: RETAINED_DAYS,
  permissions: { read: 'invoices:read', write: 'invoices:write' },
  trashPermission: 'invoices:delete',
  name: { example: 'Work in November', about: 'Subject line; `Invoice` by default.', default: 'Invoice' },
  lifecycle: invoiceLifecycle,
  events: {
    reminder_sent: 'A payment reminder was queued for the customer.',
    reminder_not_sent: 'A payment reminder was due, but could not be sent: `dunning.notSentReason` says why.',
  },
  gateFacts: ['exceedsCreditLimit'],
  inputs: INVOICE_INPUTS,
  besides: { issue: [{ scope: 'invoices:send', when: 'With `send`.' }] },
  problems: INVOICE_PROBLEMS,
  bodies: {
    create: { name: 'Work in November', customer: { name: 'Globex Ltd' }, amount: 360 },
    update: { tags: ['retainer'], notes: 'Call before sending' },
    issue: { issueDate: '2026-11-21' },
    send: { to: ['billing@globex.example'], message: 'Thank you for your business.' },
    pay: { method: 'bank_transfer', receivedDate: '2026-11-21' },
    credit: { amountMinor: 6000, reason: 'Goods returned' },
  },
});

export const invoices = { ...type, example: { ...type.example, lineItems: [LINE_EXAMPLE] } };
