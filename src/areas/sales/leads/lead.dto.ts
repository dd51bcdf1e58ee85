import { emailAddress } from '#libs/http/email-field.js';
import { Field, id, instant, integer, name, number, oneOf, text, type FieldOptions } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { DEAL_SOURCES, stageKey } from '../deals/deal.dto.js';
import { leadLifecycle, type LeadStatus } from './lead.lifecycle.js';

export const company = () => text({ min: 1, max: 200, pattern: /\S/ });
export const score = () => integer({ min: 0, max: 100 });
const reason = () => text({ min: 1, max: 500 });
const may = (options: FieldOptions): FieldOptions => ({ ...options, optional: true, nullable: true });

const EMAIL = { description: 'E-mail address.', example: 'ada@acme.example' };
const COMPANY = { description: 'Company as they wrote it.', example: 'Acme Inc.' };
const SOURCE = { description: 'Where it came from.', example: 'demo_request' };
const MESSAGE = { description: 'What they wrote.', example: 'We would like to see a demo.' };
const SCORE = { description: 'How promising it is, from 0 to 100.', example: 70 };

export class CreateLead extends RecordInput {
  @Field(emailAddress(), may(EMAIL))
  email!: string | null;

  @Field(company(), may(COMPANY))
  company!: string | null;

  @Field(oneOf(DEAL_SOURCES), { ...SOURCE, description: 'Where it came from; other if not given.', optional: true })
  source!: string;

  @Field(text({ max: 5_000 }), may(MESSAGE))
  message!: string | null;

  @Field(score(), may(SCORE))
  score!: number | null;
}

export class ConvertLead {
  @Field(id(), {
    description:
      'Account of the deal. If not given: the contact’s; else one with the domain of the e-mail address or the name of the company; else a new one.',
    optional: true,
  })
  accountId!: string;

  @Field(id(), {
    description: 'Contact of the deal. If not given: one with the e-mail address; else a new one.',
    optional: true,
  })
  contactId!: string;

  @Field(name(), { description: 'Name of the deal; the company’s or the lead’s if not given.', optional: true })
  dealName!: string;

  @Field(number({ min: 0, max: MAX_MINOR }), {
    description: 'Value of the deal in major units.',
    example: 25000,
    optional: true,
    nullable: true,
  })
  value!: number | null;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Value of the deal in minor units. If `value` is sent too, both must agree.',
    example: 2500000,
    optional: true,
    nullable: true,
  })
  valueMinor!: number | null;

  @Field(currencyCode(), {
    description: 'ISO 4217 code; the account’s or the tenant’s own if not given.',
    example: 'USD',
    optional: true,
  })
  currency!: string;

  @Field(id(), { description: 'Pipeline; the default one if not given.', optional: true })
  pipelineId!: string;

  @Field(stageKey(), { description: 'Key of an open stage; the first one if not given.', optional: true })
  stage!: string;
}

export class DisqualifyLead {
  @Field(reason(), { description: 'Why.', example: 'No budget this year' })
  reason!: string;
}

export class ReopenLead {
  @Field(reason(), { description: 'Why; kept in the audit log.', example: 'They wrote again', optional: true })
  reason!: string;
}

export const LEAD_INPUTS = { convert: ConvertLead, disqualify: DisqualifyLead, reopen: ReopenLead };

/** A merge patch; with `status` it is the action that leads there. A conversion that is told more has its own route. */
export const UpdateLead = updateOf('UpdateLead', CreateLead, {
  field: 'status',
  lifecycle: leadLifecycle,
  inputs: { disqualify: DisqualifyLead, reopen: ReopenLead },
});

export class LeadView extends RecordView {
  @Field(emailAddress(), { ...EMAIL, nullable: true })
  email!: string | null;

  @Field(company(), { ...COMPANY, nullable: true })
  company!: string | null;

  @Field(oneOf(DEAL_SOURCES), SOURCE)
  source!: string;

  @Field(text({ max: 5_000 }), { ...MESSAGE, nullable: true })
  message!: string | null;

  @Field(score(), { ...SCORE, nullable: true })
  score!: number | null;

  @Field(oneOf(leadLifecycle.states), { description: 'How far it is.', example: 'new' })
  status!: LeadStatus;

  @Field(reason(), { description: 'Why it was given up.', nullable: true })
  disqualifiedReason!: string | null;

  @Field(instant(), { description: 'When it was given up.', nullable: true })
  disqualifiedAt!: string | null;

  @Field(instant(), { description: 'When it was converted.', nullable: true })
  convertedAt!: string | null;

  @Field(id(), { description: 'Account that it became.', nullable: true })
  accountId!: string | null;

  @Field(id(), { description: 'Contact that it became.', nullable: true })
  contactId!: string | null;

  @Field(id(), { description: 'Deal that it became.', nullable: true })
  dealId!: string | null;
}
