import { phoneNumber } from '#libs/http/phone-field.js';
import { emailAddress } from '#libs/http/email-field.js';
import { flag, id, listOf, nested, text } from '#libs/http/field.js';
import { stateless } from '#libs/kernel/lifecycle.js';
import { Attribute, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { archiveActions, trashActions } from '#libs/resource/types/standard-actions.js';
import { LIVE_ACCOUNT } from '../accounts/account.js';
import { emailFilter } from '../email.js';
import { Consent, ConsentInput } from './contact.parts.js';

/** Contacts that other records can reference: neither in the trash nor merged. */
export const LIVE_CONTACT = { table: 'data.sales_contacts', where: 'deleted_at is null and merged_into_id is null' };

/** Maximum number of e-mail addresses, and of telephone numbers, of a contact. */
export const MAX_ADDRESSES = 20;

const personName = text({ min: 1, max: 100, pattern: /\S/ });
const locale = text({
  min: 2,
  max: 35,
  pattern: /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,4}$/,
  form: 'a language tag such as en-GB',
});
const HAS_EMAIL = `exists (select 1 from data.sales_contact_emails x where x.tenant_id = t.tenant_id
  and x.email = any(:values) and x.contact_id = t.id)`;

/** A person, usually at an account. */
export class Contact extends RecordRow {
  @Attribute(personName, 'Given name.', { example: 'Ada', nullable: true, filter: true, privacy: 'personal' })
  firstName!: string | null;

  @Attribute(personName, 'Family name.', { example: 'Lovelace', nullable: true, filter: true, privacy: 'personal' })
  lastName!: string | null;

  @Attribute(
    listOf(emailAddress(), { max: MAX_ADDRESSES, unique: true }),
    'E-mail addresses, the preferred one first.',
    { default: [], example: ['ada@acme.example'], privacy: 'personal' },
  )
  emails!: string[];

  @Attribute(
    listOf(phoneNumber(), { max: MAX_ADDRESSES, unique: true }),
    'Telephone numbers, the preferred one first.',
    {
      default: [],
      example: ['+1 217 555 0100'],
      privacy: 'personal',
    },
  )
  phones!: string[];

  @Attribute(text({ max: 200 }), 'Job title.', { example: 'Head of purchasing', nullable: true, privacy: 'personal' })
  title!: string | null;

  @Attribute(id(), 'Account that the contact belongs to.', { nullable: true, names: LIVE_ACCOUNT, filter: true })
  accountId!: string | null;

  @Attribute(flag(), 'True for the primary contact of the account; an account has at most one.', {
    default: false,
    filter: true,
  })
  isPrimary!: boolean;

  @Attribute(locale, 'Preferred language, as a BCP 47 tag.', {
    example: 'en-US',
    nullable: true,
    privacy: 'personal',
  })
  locale!: string | null;

  @Attribute(nested(Consent), 'Consent to marketing.', {
    given: nested(ConsentInput),
    optional: true,
    example: { email: 'subscribed', at: '2026-11-21T09:15:02.114Z', source: 'Newsletter form' },
    privacy: 'personal',
  })
  consent!: Consent;

  @ReadOnly(id(), 'Contact that this one was merged into.', {
    nullable: true,
    names: { table: 'data.sales_contacts' },
    filter: true,
  })
  mergedIntoId!: string | null;
}

export type ShownContact = Shown<Contact>;

const lifecycle = stateless({
  ...archiveActions('contact', ['active'], 'contacts:write'),
  ...trashActions('contact', ['active'], 'contacts:delete', 'medium'),
});
export type ContactAction = keyof typeof lifecycle.transitions;

export const contacts = recordType(Contact, {
  area: 'sales',
  collection: 'contacts',
  noun: 'contact',
  prefix: 'CON',
  permissions: { read: 'contacts:read', write: 'contacts:write' },
  name: {
    example: 'Ada Lovelace',
    about: 'Name as it is shown; first and last name by default.',
    optional: true,
    privacy: 'personal',
  },
  lifecycle,
  events: { merged: 'A contact was merged into another one.' },
  filters: { email: filter.related(emailFilter(), HAS_EMAIL) },
  problems: { update: ['in_use'], delete: ['in_use'], unarchive: ['record_locked'] },
});
