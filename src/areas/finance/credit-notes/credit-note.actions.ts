import { emailAddress } from '#libs/http/email-field.js';
import { civilDate, Field, listOf, text } from '#libs/http/field.js';

export const reason = text({ min: 1, max: 500 });

export class IssueCreditNote {
  @Field(civilDate(), {
    description: 'Date of issue, from the date of its invoice to today, which is the default.',
    optional: true,
  })
  issueDate!: string;
}

export class VoidCreditNote {
  @Field(reason, { description: 'Reason for voiding it.', example: 'Issued by mistake' })
  reason!: string;
}

export class SendCreditNote {
  @Field(listOf(emailAddress(), { min: 1, max: 20, unique: true }), {
    description: 'Recipients, who each get a mail; by default the address of the customer on the invoice.',
    example: ['billing@globex.example'],
    optional: true,
  })
  to?: string[];

  @Field(text({ max: 5_000 }), {
    description: 'Message at the beginning of the mails, kept with the credit note.',
    optional: true,
    nullable: true,
  })
  message?: string | null;
}

export const CREDIT_NOTE_INPUTS = { issue: IssueCreditNote, send: SendCreditNote, void: VoidCreditNote };
