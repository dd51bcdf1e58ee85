import { emailAddress } from '#libs/http/email-field.js';
import { civilDate, Field, flag, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { LineInput, MAX_LINES } from '#libs/lines/line.dto.js';
import { PAYMENT_METHODS, type PaymentMethod } from '../settlement-desk.js';

const OPEN = { optional: true, nullable: true };
const reason = () => text({ min: 1, max: 500 });
const amount = () => integer({ min: 1, max: MAX_MINOR });

export class IssueInvoice {
  @Field(civilDate(), {
    description: 'Date of the document, not in the future nor before 2000; by default that of the draft, or today.',
    optional: true,
  })
  issueDate?: string;

  @Field(flag(), {
    description: 'Also mails the invoice to the customer’s address; needs the scope `invoices:send`.',
    optional: true,
  })
  send?: boolean;
}

export class SendInvoice {
  @Field(listOf(emailAddress(), { min: 1, max: 20, unique: true }), {
    description: 'Recipients; by default the customer’s address. Each gets a mail with a public link to the invoice.',
    example: ['billing@globex.example'],
    optional: true,
  })
  to?: string[];

  @Field(text({ max: 5_000 }), {
    description: 'Message at the beginning of the mails, kept with the invoice.',
    ...OPEN,
  })
  message?: string | null;
}

export class PayInvoice {
  @Field(amount(), {
    description: 'Amount in minor units; by default the balance.',
    example: 36000,
    optional: true,
  })
  amountMinor?: number;

  @Field(oneOf(PAYMENT_METHODS), { description: 'Means of payment; `other` by default.', optional: true })
  method?: PaymentMethod;

  @Field(civilDate(), {
    description: 'Day on which the money arrived, not in the future nor before 2000; today by default.',
    ...OPEN,
  })
  receivedDate?: string | null;

  @Field(text({ max: 200 }), { description: 'Reference that the payer gave.', ...OPEN })
  reference?: string | null;
}

export class CreditInvoice {
  @Field(amount(), { description: 'Amount with tax in minor units, in place of lines.', optional: true })
  amountMinor?: number;

  @Field(listOf(nested(LineInput), { min: 1, max: MAX_LINES }), {
    description: 'Lines to credit. Without lines and an amount, all that is not credited yet is.',
    optional: true,
  })
  lineItems?: LineInput[];

  @Field(reason(), { description: 'Reason for the credit; it stands on the credit note.', example: 'Goods returned' })
  reason!: string;
}

export class VoidInvoice {
  @Field(reason(), {
    description: 'Reason for voiding it, kept with the invoice.',
    example: 'Charged to the wrong customer',
  })
  reason!: string;
}

export class WriteOffInvoice {
  @Field(reason(), {
    description: 'Reason for the write-off, kept in the audit log.',
    example: 'The customer is insolvent',
  })
  reason!: string;
}

export const INVOICE_INPUTS = {
  issue: IssueInvoice,
  send: SendInvoice,
  pay: PayInvoice,
  credit: CreditInvoice,
  void: VoidInvoice,
  write_off: WriteOffInvoice,
};
