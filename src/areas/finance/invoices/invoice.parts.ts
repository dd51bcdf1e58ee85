import { emailAddress } from '#libs/http/email-field.js';
import { civilDate, Field, flag, id, instant, integer, name, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { LineInput, LineView } from '#libs/lines/line.dto.js';
import { exchangeRate } from '../ledger/exchange.js';

const OPEN = { optional: true, nullable: true };

export const language = () =>
  text({ min: 2, max: 35, pattern: /^[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8})*$/, form: 'a language tag such as en-GB' });

/** A postal address. */
export class PostalAddress {
  @Field(text({ max: 200 }), { description: 'Street and number.', example: '1 High Street', ...OPEN })
  line1!: string | null;

  @Field(text({ max: 200 }), { description: 'Further address line, such as a building or floor.', ...OPEN })
  line2!: string | null;

  @Field(text({ max: 100 }), { description: 'City.', example: 'London', ...OPEN })
  city!: string | null;

  @Field(text({ max: 100 }), { description: 'State, province or county.', ...OPEN })
  region!: string | null;

  @Field(text({ max: 20 }), { description: 'Postal code.', example: 'N1 9GU', ...OPEN })
  postalCode!: string | null;

  @Field(text({ min: 2, max: 2, pattern: /^[A-Z]{2}$/, form: 'an ISO 3166-1 alpha-2 code in capitals, such as DE' }), {
    description: 'ISO 3166-1 alpha-2 code.',
    example: 'GB',
    ...OPEN,
  })
  country!: string | null;
}

/** The customer, as printed on the document. */
export class InvoiceCustomer {
  @Field(name(), { description: 'Name of the customer.', example: 'Globex Ltd' })
  name!: string;

  @Field(emailAddress(), { description: 'E-mail address for invoices.', example: 'billing@globex.example', ...OPEN })
  email!: string | null;

  @Field(text({ max: 60 }), { description: 'Tax number.', example: 'GB987654321', ...OPEN })
  taxId!: string | null;

  @Field(nested(PostalAddress), { description: 'Postal address.', ...OPEN })
  address!: PostalAddress | null;
}

/** The seller, as printed on the document. */
export class InvoiceSeller {
  @Field(text({ max: 200 }), { description: 'Legal name.', example: 'Acme Ltd', nullable: true })
  legalName!: string | null;

  @Field(text({ max: 1_000 }), { description: 'Postal address.', nullable: true })
  address!: string | null;

  @Field(text({ max: 60 }), { description: 'Tax number.', nullable: true })
  taxId!: string | null;

  @Field(text({ max: 1_000 }), { description: 'Bank details for payments.', nullable: true })
  bank!: string | null;
}

/** The record that a line charges for; it can be charged only once. */
export class LineSource {
  @Field(text({ min: 1, max: 60 }), { description: 'Type of the record.', example: 'work.time_entry' })
  object!: string;

  @Field(id(), { description: 'Id of the record.' })
  id!: string;
}

/** A line of an invoice as the caller sends it. */
export class InvoiceLineInput extends LineInput {
  @Field(nested(LineSource), {
    description: 'Record that the line charges for. Only one invoice that is not void can charge for it.',
    ...OPEN,
  })
  source?: LineSource | null;

  @Field(civilDate(), { description: 'First day of the period that is charged.', ...OPEN })
  periodStartDate?: string | null;

  @Field(civilDate(), { description: 'Last day of the period that is charged.', ...OPEN })
  periodEndDate?: string | null;
}

/** A line of an invoice as stored and shown. */
export class InvoiceLine extends LineView {
  @Field(nested(LineSource), { description: 'Record that the line charges for.', nullable: true })
  source!: LineSource | null;

  @Field(civilDate(), { description: 'First day of the period that is charged.', nullable: true })
  periodStartDate!: string | null;

  @Field(civilDate(), { description: 'Last day of the period that is charged.', nullable: true })
  periodEndDate!: string | null;
}

/** The exchange rate of an invoice in a foreign currency. */
export class ExchangeInput {
  @Field(exchangeRate(), {
    description: 'Units of the tenant’s base currency for one unit of the invoice’s currency, as decimal text.',
    example: '1.0842',
  })
  rate!: string;
}

/** An invoice in the tenant's currency. */
export class ExchangeView extends ExchangeInput {
  @Field(currencyCode(), { description: 'ISO 4217 code of the tenant’s base currency.', example: 'USD' })
  baseCurrency!: string;

  @Field(integer({ min: -MAX_MINOR, max: MAX_MINOR }), {
    description: 'Total in the base currency, in minor units.',
    example: 39031,
  })
  baseTotalMinor!: number;
}

/** Payment reminders for the customer, as the caller sends them. */
export class DunningInput {
  @Field(flag(), {
    description: 'Whether reminders are paused. Days that pass during a pause are skipped.',
    example: false,
  })
  paused!: boolean;
}

/** Payment reminders for the customer. */
export class DunningView extends DunningInput {
  @Field(integer({ min: 0, max: 10 }), { description: 'Number of the last reminder; 0 before the first.', example: 1 })
  level!: number;

  @Field(instant(), { description: 'Time at which the last reminder was queued.', nullable: true })
  lastSentAt!: string | null;

  @Field(instant(), { description: 'Time of the next reminder; null if none is due.', nullable: true })
  nextAt!: string | null;

  @Field(oneOf(['recipient_missing']), {
    description:
      'Why the last reminder was not sent: `recipient_missing` means that neither the invoice nor the account has an e-mail address. Null if it was sent.',
    nullable: true,
  })
  notSentReason!: 'recipient_missing' | null;
}

/** Something to know about an issue that was not refused. */
export class InvoiceWarning {
  @Field(oneOf(['credit_limit_exceeded']), { description: 'Stable code.', example: 'credit_limit_exceeded' })
  code!: 'credit_limit_exceeded';

  @Field(text({ max: 1_000 }), {
    description: 'Explanation.',
    example: 'The account Acme Inc. owes 60000.00 EUR, 10000.00 EUR more than its credit limit.',
  })
  detail!: string;
}

/** Fields fixed at issue: the database rejects later changes. */
export const DOCUMENT_FIELDS = [
  'currency',
  'customer',
  'dealId',
  'discountMinor',
  'dueDate',
  'exchange',
  'issueDate',
  'language',
  'lineItems',
  'name',
  'netMinor',
  'number',
  'paymentTermsDays',
  'poNumber',
  'projectId',
  'purchaseRef',
  'seller',
  'subtotalMinor',
  'taxBreakdown',
  'taxInclusive',
  'taxMinor',
  'terms',
  'totalMinor',
] as const;

export const CUSTOMER_EXAMPLE = {
  name: 'Globex Ltd',
  email: 'billing@globex.example',
  taxId: 'GB987654321',
  address: { line1: '1 High Street', line2: null, city: 'London', region: null, postalCode: 'N1 9GU', country: 'GB' },
};

export const LINE_EXAMPLE = {
  id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b31',
  position: 1,
  productId: null,
  description: 'Consulting',
  quantity: 2.5,
  unit: 'hour',
  unitPriceMinor: 12000,
  discountPercent: 0,
  taxRateId: null,
  taxName: null,
  taxPercent: 20,
  grossMinor: 30000,
  discountMinor: 0,
  netMinor: 30000,
  taxMinor: 6000,
  totalMinor: 36000,
  source: null,
  periodStartDate: '2026-11-01',
  periodEndDate: '2026-11-30',
};
