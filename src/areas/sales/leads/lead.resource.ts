import { id, instant, oneOf } from '#libs/http/field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import { LIVE_ACCOUNT } from '../accounts/account.js';
import { LIVE_CONTACT } from '../contacts/contact.js';
import { DEAL_SOURCES } from '../deals/deal.dto.js';
import { emailFilter } from '../email.js';
import { company, CreateLead, LEAD_INPUTS, LeadView, score, UpdateLead } from './lead.dto.js';
import { Lead } from './lead.entity.js';
import { type LeadAction, leadLifecycle } from './lead.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };

export const leadResource: ResourceDefinition<Lead, LeadAction> = {
  type: 'sales.lead',
  noun: 'lead',
  area: 'sales',
  collection: 'leads',
  prefix: 'LEAD',
  entity: Lead,
  view: LeadView,
  create: CreateLead,
  update: UpdateLead,
  permissions: { read: 'leads:read', write: 'leads:write' },
  lifecycle: leadLifecycle,
  createsTogether: true,
  stateField: 'status',
  defaults: { source: 'other' },
  named: { accountId: LIVE_ACCOUNT, contactId: LIVE_CONTACT, dealId: { table: 'data.sales_deals' } },
  inputs: LEAD_INPUTS,
  problems: {
    update: ['invalid_transition', 'amount_mismatch'],
    convert: ['amount_mismatch'],
  },
  bodies: {
    create: { name: 'Ada Lovelace', email: 'ada@acme.example', company: 'Acme Inc.', source: 'demo_request' },
    update: { score: 70 },
    convert: { dealName: 'Acme demo', value: 25000 },
    disqualify: { reason: 'No budget this year' },
    reopen: { reason: 'They wrote again' },
  },
  list: {
    filters: {
      ...recordFilters('sales.lead'),
      status: filter.exact(oneOf(leadLifecycle.states)),
      source: filter.exact(oneOf(DEAL_SOURCES)),
      email: { ...filter.exact(emailFilter(), true), sql: 't.email_lower' },
      company: filter.exact(company(), true),
      score: filter.ordered(score(), true),
      accountId: filter.exact(id(), true),
      contactId: filter.exact(id(), true),
      dealId: filter.exact(id(), true),
      convertedAt: filter.ordered(instant(), true),
      disqualifiedAt: filter.ordered(instant(), true),
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'score'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'leads:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'sales.lead',
    reference: 'LEAD-000008',
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
    email: 'ada@acme.example',
    company: 'Acme Inc.',
    source: 'demo_request',
    message: 'We would like to see a demo.',
    score: 70,
    status: 'new',
    disqualifiedReason: null,
    disqualifiedAt: null,
    convertedAt: null,
    accountId: null,
    contactId: null,
    dealId: null,
  },
};
