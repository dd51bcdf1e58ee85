import { Field, id, integer, name, number, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { stageKey } from '../deals/deal.parts.js';

export const reason = text({ min: 1, max: 500 });

export class ConvertLead {
  @Field(id(), {
    description:
      'Account of the deal. By default the contact’s, else one with the domain of the e-mail address or the name of the company, else a new one.',
    optional: true,
  })
  accountId!: string;

  @Field(id(), {
    description: 'Contact of the deal. By default one with the e-mail address, else a new one.',
    optional: true,
  })
  contactId!: string;

  @Field(name(), { description: 'Name of the deal; by default that of the company, else of the lead.', optional: true })
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
    description: 'ISO 4217 code of the value; by default the currency of the account, else the tenant’s base currency.',
    example: 'USD',
    optional: true,
  })
  currency!: string;

  @Field(id(), { description: 'Pipeline of the deal; the default pipeline if absent.', optional: true })
  pipelineId!: string;

  @Field(stageKey, { description: 'Key of an open stage of the pipeline; its first one if absent.', optional: true })
  stage!: string;
}

export class DisqualifyLead {
  @Field(reason, { description: 'Reason for the disqualification.', example: 'No budget this year' })
  reason!: string;
}

export class ReopenLead {
  @Field(reason, { description: 'Reason, kept in the audit log.', example: 'They wrote again', optional: true })
  reason!: string;
}
