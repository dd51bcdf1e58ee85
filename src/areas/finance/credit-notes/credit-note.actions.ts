import { civilDate, Field, text } from '#libs/http/field.js';

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

export const CREDIT_NOTE_INPUTS = { issue: IssueCreditNote, void: VoidCreditNote };
