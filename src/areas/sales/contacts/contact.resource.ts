import { flag, id } from '#libs/http/field.js';
import { lifecycle } from '#libs/kernel/lifecycle.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { archiveActions, trashActions } from '#libs/resource/standard-actions.js';
import { LIVE_ACCOUNT } from '../accounts/account.resource.js';
import { emailFilter } from '../email.js';
import { ContactView, CreateContact, personName, UpdateContact } from './contact.dto.js';
import { Contact } from './contact.entity.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

/** Contacts that may be named by other records: neither in the trash nor merged into another one. */
export const LIVE_CONTACT = { table: 'data.sales_contacts', where: 'deleted_at is null and merged_into_id is null' };

/** A contact has one state. */
export const contactLifecycle = lifecycle({
  states: ['active'],
  initial: 'active',
  transitions: {
    ...archiveActions('contact', ['active'], 'contacts:write'),
    ...trashActions('contact', ['active'], 'contacts:delete', 'medium'),
  },
});

export type ContactAction = keyof typeof contactLifecycle.transitions;

export const contactResource: ResourceDefinition<Contact, ContactAction> = {
  type: 'sales.contact',
  noun: 'contact',
  area: 'sales',
  collection: 'contacts',
  prefix: 'CON',
  entity: Contact,
  view: ContactView,
  create: CreateContact,
  update: UpdateContact,
  permissions: { read: 'contacts:read', write: 'contacts:write' },
  lifecycle: contactLifecycle,
  references: { accountId: LIVE_ACCOUNT },
  named: { mergedIntoId: { table: 'data.sales_contacts' } },
  inputs: {},
  problems: { update: ['in_use'], delete: ['in_use'], unarchive: ['record_locked'] },
  bodies: {
    create: { firstName: 'Ada', lastName: 'Lovelace', emails: ['ada@acme.example'] },
    update: { title: 'Head of purchasing', consent: { email: 'subscribed', source: 'Newsletter form' } },
  },
  list: {
    filters: {
      ...recordFilters('sales.contact'),
      accountId: filter.exact(id(), true),
      isPrimary: filter.exact(flag()),
      firstName: filter.exact(personName(), true),
      lastName: filter.exact(personName(), true),
      email: filter.related(
        emailFilter(),
        `exists (select 1 from data.sales_contact_emails x where x.tenant_id = t.tenant_id and x.email = any(:values)
          and x.contact_id = t.id)`,
      ),
      mergedIntoId: filter.exact(id(), true),
    },
    sorts: ['createdAt', 'updatedAt', 'name'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'contacts:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'sales.contact',
    reference: 'CON-000042',
    name: 'Ada Lovelace',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    firstName: 'Ada',
    lastName: 'Lovelace',
    emails: ['ada@acme.example'],
    phones: ['+1 217 555 0100'],
    title: 'Head of purchasing',
    accountId: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b22',
    isPrimary: true,
    locale: 'en-US',
    consent: { email: 'subscribed', at: '2026-11-21T09:15:02.114Z', source: 'Newsletter form' },
    mergedIntoId: null,
  },
};
