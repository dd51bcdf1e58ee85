import { emailAddress } from '#libs/http/email-field.js';
import { id, instant, integer, oneOf, text } from '#libs/http/field.js';
import { Attribute, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { LIVE_ACCOUNT } from '../accounts/account.js';
import { LIVE_CONTACT } from '../contacts/contact.js';
import { DEAL_SOURCES } from '../deals/deal.parts.js';
import { emailFilter } from '../email.js';
import { ConvertLead, DisqualifyLead, reason, ReopenLead } from './lead.actions.js';
import { leadLifecycle, type LeadStatus } from './lead.lifecycle.js';

/** A potential customer. Account, contact and deal result from the conversion; null until the lead is qualified. */
export class Lead extends RecordRow {
  @Attribute(emailAddress(), 'E-mail address.', {
    example: 'ada@acme.example',
    nullable: true,
    filter: { ...filter.exact(emailFilter(), true), sql: 't.email_lower' },
    privacy: 'personal',
  })
  email!: string | null;

  @Attribute(text({ min: 1, max: 200, pattern: /\S/ }), 'Company as the lead wrote it.', {
    example: 'Acme Inc.',
    nullable: true,
    filter: true,
    privacy: 'personal',
  })
  company!: string | null;

  @Attribute(oneOf(DEAL_SOURCES), 'Source of the lead; `other` by default.', {
    default: 'other',
    example: 'demo_request',
    filter: true,
  })
  source!: (typeof DEAL_SOURCES)[number];

  @Attribute(text({ max: 5_000 }), 'Message of the lead.', {
    example: 'We would like to see a demo.',
    nullable: true,
    privacy: 'personal',
  })
  message!: string | null;

  @Attribute(integer({ min: 0, max: 100 }), 'Score from 0 to 100; the higher, the more promising.', {
    example: 70,
    nullable: true,
    filter: true,
    sort: true,
    privacy: 'personal',
  })
  score!: number | null;

  @ReadOnly(oneOf(leadLifecycle.states), 'Progress of the lead.', { example: 'new', filter: true })
  status!: LeadStatus;

  @ReadOnly(reason, 'Reason for the disqualification.', { nullable: true, privacy: 'sensitive' })
  disqualifiedReason!: string | null;

  @ReadOnly(instant(), 'Time of the disqualification.', { nullable: true, filter: true })
  disqualifiedAt!: string | null;

  @ReadOnly(instant(), 'Time of the conversion.', { nullable: true, filter: true })
  convertedAt!: string | null;

  @ReadOnly(id(), 'Account that the lead was converted to.', { nullable: true, names: LIVE_ACCOUNT, filter: true })
  accountId!: string | null;

  @ReadOnly(id(), 'Contact that the lead was converted to.', { nullable: true, names: LIVE_CONTACT, filter: true })
  contactId!: string | null;

  @ReadOnly(id(), 'Deal that the lead was converted to.', {
    nullable: true,
    names: { table: 'data.sales_deals' },
    filter: true,
  })
  dealId!: string | null;
}

export type ShownLead = Shown<Lead>;

class Defaults {}

export const leads = recordType(Lead, {
  area: 'sales',
  collection: 'leads',
  noun: 'lead',
  prefix: 'LEAD',
  retention: ['disqualifiedAt', 'convertedAt', 'updatedAt'],
  permissions: { read: 'leads:read', write: 'leads:write' },
  name: { example: 'Ada Lovelace', privacy: 'personal' },
  lifecycle: leadLifecycle,
  inputs: { convert: ConvertLead, disqualify: DisqualifyLead, reopen: ReopenLead },
  // A patch converts a lead with default values; the conversion route accepts more options.
  patchInputs: { convert: Defaults },
  createsTogether: true,
  problems: { update: ['amount_mismatch'], convert: ['amount_mismatch'] },
  bodies: {
    update: { score: 70 },
    convert: { dealName: 'Acme demo', value: 25000 },
    disqualify: { reason: 'No budget this year' },
    reopen: { reason: 'They wrote again' },
  },
});
