import { emailAddress } from '#libs/http/email-field.js';
import { civilDate, Field, flag, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { LineInput, MAX_LINES } from '#libs/lines/line.dto.js';
import { PAYMENT_METHODS, type PaymentMethod } from '../settlement-desk.js';

const OPEN = { optional: true, nullable: true };
const reason = () => text({ min: 1, max: 500 });
const amount = () => integer({ min: 1, max: MAX_MINOR });

export class IssueInvoice {
  @Field(civilDate(), { description: 'Date of the document; the draft’s, or today, if not given.', optional: true })
  issueDate?: string;

  @Field(flag(), {
    description: 'Also mark it as sent, to the customer’s address; needs the scope invoices:send.',
    optional: true,
  })
  send?: boolean;
}

export class SendInvoice {
  @Field(listOf(emailAddress(), { min: 1, max: 20, unique: true }), {
    description: 'Who has it, or is to have it; the customer’s address if not given. The platform sends them nothing.',
    example: ['billing@globex.example'],
    optional: true,
  })
  to?: string[];

  @Field(text({ max: 5_000 }), { description: 'What they are told with it; kept with the invoice.', ...OPEN })
  message?: string | null;
}

export class PayInvoice {
  @Field(amount(), { description: 'Amount in minor units; the balance if not given.', example: 36000, optional: true })
  amountMinor?: number;

  @Field(oneOf(PAYMENT_METHODS), { description: 'How it was paid; other if not given.', optional: true })
  method?: PaymentMethod;

  @Field(civilDate(), { description: 'When it came in; today if not given.', ...OPEN })
  receivedDate?: string | null;

  @Field(text({ max: 200 }), { description: 'What the payer wrote.', ...OPEN })
  reference?: string | null;
}

export class CreditInvoice {
  @Field(amount(), { description: 'Amount in minor units, tax included; in place of lines.', optional: true })
  amountMinor?: number;

  @Field(listOf(nested(LineInput), { min: 1, max: MAX_LINES }), {
    description: 'What is credited; everything that is not credited yet if neither is given.',
    optional: true,
  })
  lineItems?: LineInput[];

  @Field(reason(), { description: 'Why; stands on the credit note.', example: 'Goods returned' })
  reason!: string;
}

export class VoidInvoice {
  @Field(reason(), { description: 'Why; kept with the invoice.', example: 'Charged to the wrong customer' })
  reason!: string;
}

export class WriteOffInvoice {
  @Field(reason(), { description: 'Why; kept in the audit log.', example: 'The customer is insolvent' })
  reason!: string;
}
