import { emailAddress } from '#libs/http/email-field.js';
import {
  civilDate,
  Field,
  flag,
  id,
  instant,
  integer,
  listOf,
  name,
  nested,
  number,
  oneOf,
  text,
} from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { MAX_LINES, TaxBreakdownView } from '#libs/lines/line.dto.js';
import { paymentTerms } from '#libs/settings/settings.model.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import {
  CreditInvoice,
  IssueInvoice,
  PayInvoice,
  SendInvoice,
  VoidInvoice,
  WriteOffInvoice,
} from './invoice-actions.dto.js';
import {
  DOCUMENT_FIELDS,
  Dunning,
  ExchangeInput,
  ExchangeView,
  InvoiceCustomer,
  InvoiceLine,
  InvoiceLineInput,
  InvoiceSeller,
} from './invoice-parts.dto.js';
import { invoiceLifecycle, type InvoiceStatus } from './invoice.lifecycle.js';

const OPEN = { optional: true, nullable: true };
const amount = (min = -MAX_MINOR) => integer({ min, max: MAX_MINOR });
const language = () =>
  text({ min: 2, max: 35, pattern: /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$/, form: 'a language tag such as en-GB' });

export class CreateInvoice extends RecordInput {
  @Field(name(), { description: 'Subject line; Invoice if not given.', example: 'Work in November', optional: true })
  declare name: string;

  @Field(id(), { description: 'Account that is charged.', ...OPEN })
  accountId?: string | null;

  @Field(nested(InvoiceCustomer), {
    description: 'Who is charged, if it is no account or the document names it otherwise.',
    ...OPEN,
  })
  customer?: InvoiceCustomer | null;

  @Field(currencyCode(), {
    description: 'ISO 4217 code; the account’s, else the tenant’s, if not given. Fixed once there is a line.',
    example: 'USD',
    optional: true,
  })
  currency?: string;

  @Field(number({ min: 0, max: MAX_MINOR }), {
    description:
      'In place of lines: an untaxed line “Services” of this amount in major units, with at most as many decimals as the currency has.',
    example: 360,
    optional: true,
    nullable: true,
  })
  amount?: number | null;

  @Field(listOf(nested(InvoiceLineInput), { max: MAX_LINES }), { description: 'What is charged.', optional: true })
  lineItems?: InvoiceLineInput[];

  @Field(flag(), { description: 'Whether unit prices include tax; false if not given.', optional: true })
  taxInclusive?: boolean;

  @Field(civilDate(), { description: 'Date of the document; the day of its issue if not given.', ...OPEN })
  issueDate?: string | null;

  @Field(civilDate(), { description: 'When it has to be paid; issue date plus terms if not given.', ...OPEN })
  dueDate?: string | null;

  @Field(paymentTerms(), { description: 'Days to pay in; the account’s, else the tenant’s, if not given.', ...OPEN })
  paymentTermsDays?: number | null;

  @Field(text({ max: 100 }), { description: 'The customer’s order number.', ...OPEN })
  poNumber?: string | null;

  @Field(text({ max: 5_000 }), { description: 'Notes to self; no part of the document.', ...OPEN })
  notes?: string | null;

  @Field(text({ max: 5_000 }), { description: 'Terms that the document states.', ...OPEN })
  terms?: string | null;

  @Field(language(), { description: 'Language of the document (BCP 47).', example: 'en-GB', ...OPEN })
  language?: string | null;

  @Field(id(), { description: 'Deal that it charges for.', ...OPEN })
  dealId?: string | null;

  @Field(id(), { description: 'Project that it charges for.', ...OPEN })
  projectId?: string | null;

  @Field(text({ max: 200 }), { description: 'The customer’s reference of the purchase.', ...OPEN })
  purchaseRef?: string | null;

  @Field(nested(ExchangeInput), {
    description: 'Rate to book it with; needed to issue it when the currency is not the tenant’s.',
    ...OPEN,
  })
  exchange?: ExchangeInput | null;

  @Field(nested(Dunning), {
    description: 'How the customer is to be reminded; the platform reminds nobody.',
    optional: true,
  })
  dunning?: Dunning;
}

/** Bodies of the actions. */
export const INVOICE_INPUTS = {
  issue: IssueInvoice,
  send: SendInvoice,
  pay: PayInvoice,
  credit: CreditInvoice,
  void: VoidInvoice,
  write_off: WriteOffInvoice,
};

/** A merge patch; with `status` it is the action that leads there. Issued invoices take few changes. */
export const UpdateInvoice = updateOf(
  'UpdateInvoice',
  CreateInvoice,
  { field: 'status', lifecycle: invoiceLifecycle, inputs: INVOICE_INPUTS },
  ['amount'],
);

export class InvoiceView extends RecordView {
  @Field(text({ max: 60 }), {
    description: 'Number of the document; null in a draft.',
    example: 'INV-2026-00042',
    nullable: true,
  })
  number!: string | null;

  @Field(oneOf(invoiceLifecycle.states), { description: 'Where it stands.', example: 'issued' })
  status!: InvoiceStatus;

  @Field(flag(), { description: 'Whether something is open after the due date.', example: false })
  isOverdue!: boolean;

  @Field(id(), { description: 'Account that is charged.', nullable: true })
  accountId!: string | null;

  @Field(nested(InvoiceCustomer), { description: 'Who is charged; fixed from the issue on.', nullable: true })
  customer!: InvoiceCustomer | null;

  @Field(nested(InvoiceSeller), { description: 'Who charges; null in a draft.', nullable: true })
  seller!: InvoiceSeller | null;

  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(number({ min: -MAX_MINOR, max: MAX_MINOR }), { description: 'Total in major units.', example: 360 })
  amount!: number;

  @Field(listOf(nested(InvoiceLine), { max: MAX_LINES }), { description: 'What is charged.' })
  lineItems!: InvoiceLine[];

  @Field(flag(), { description: 'Whether unit prices include tax.', example: false })
  taxInclusive!: boolean;

  @Field(amount(), { description: 'Sum of the lines before discounts, in minor units.', example: 30000 })
  subtotalMinor!: number;

  @Field(amount(), { description: 'Sum of the discounts, in minor units.', example: 0 })
  discountMinor!: number;

  @Field(amount(), { description: 'After discounts and without tax, in minor units.', example: 30000 })
  netMinor!: number;

  @Field(amount(), { description: 'Sum of the taxes, in minor units.', example: 6000 })
  taxMinor!: number;

  @Field(amount(), { description: 'After discounts and with tax, in minor units.', example: 36000 })
  totalMinor!: number;

  @Field(listOf(nested(TaxBreakdownView), { max: MAX_LINES }), { description: 'The taxes, each over all lines.' })
  taxBreakdown!: TaxBreakdownView[];

  @Field(amount(0), { description: 'Paid, in minor units.', example: 0 })
  amountPaidMinor!: number;

  @Field(amount(0), { description: 'Credited, in minor units.', example: 0 })
  amountCreditedMinor!: number;

  @Field(amount(0), { description: 'Written off, in minor units.', example: 0 })
  writtenOffMinor!: number;

  @Field(amount(), { description: 'Total less paid, credited and written off, in minor units.', example: 36000 })
  balanceMinor!: number;

  @Field(civilDate(), { description: 'Date of the document.', example: '2026-11-21', nullable: true })
  issueDate!: string | null;

  @Field(civilDate(), { description: 'When it has to be paid.', example: '2026-12-21', nullable: true })
  dueDate!: string | null;

  @Field(integer({ min: 0, max: 3_650 }), {
    description: 'Days to pay in. More than 365 only where an account allowed more when it was issued.',
    example: 30,
    nullable: true,
  })
  paymentTermsDays!: number | null;

  @Field(text({ max: 100 }), { description: 'The customer’s order number.', nullable: true })
  poNumber!: string | null;

  @Field(text({ max: 5_000 }), { description: 'Notes to self; no part of the document.', nullable: true })
  notes!: string | null;

  @Field(text({ max: 5_000 }), { description: 'Terms that the document states.', nullable: true })
  terms!: string | null;

  @Field(language(), { description: 'Language of the document.', nullable: true })
  language!: string | null;

  @Field(id(), { description: 'Deal that it charges for.', nullable: true })
  dealId!: string | null;

  @Field(id(), { description: 'Project that it charges for.', nullable: true })
  projectId!: string | null;

  @Field(text({ max: 200 }), { description: 'The customer’s reference of the purchase.', nullable: true })
  purchaseRef!: string | null;

  @Field(nested(ExchangeView), { description: 'In the tenant’s currency, where that is another.', nullable: true })
  exchange!: ExchangeView | null;

  @Field(text({ min: 64, max: 64 }), {
    description: `SHA-256, in hexadecimal, of the canonical JSON (RFC 8785) of the fields that the issue fixed: ${DOCUMENT_FIELDS.join(', ')}. Null in a draft.`,
    nullable: true,
  })
  contentHash!: string | null;

  @Field(instant(), { description: 'When it was last marked as sent.', nullable: true })
  sentAt!: string | null;

  @Field(listOf(emailAddress(), { max: 20 }), { description: 'Whom it was last marked as sent to.', example: [] })
  sentTo!: string[];

  @Field(text({ max: 5_000 }), { description: 'What they were told.', nullable: true })
  sentMessage!: string | null;

  @Field(instant(), { description: 'Since when nothing is open.', nullable: true })
  paidAt!: string | null;

  @Field(instant(), { description: 'When it was voided.', nullable: true })
  voidedAt!: string | null;

  @Field(text({ max: 500 }), { description: 'Why it was voided.', nullable: true })
  voidReason!: string | null;

  @Field(nested(Dunning), { description: 'How the customer is to be reminded; the platform reminds nobody.' })
  dunning!: Dunning;
}
