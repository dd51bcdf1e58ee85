import { id, oneOf } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import type { ResourceDefinition } from '#libs/resource/definition.js';
import { filter, recordFilters } from '#libs/resource/list-query.js';
import { EMPTY_ENVELOPE } from '#libs/resource/record.entity.js';
import {
  ACCOUNT_INPUTS,
  ACCOUNT_ROLES,
  ACCOUNT_SIZES,
  AccountView,
  CreateAccount,
  domain,
  industry,
  taxId,
  UpdateAccount,
} from './account.dto.js';
import { Account } from './account.entity.js';
import { type AccountAction, accountLifecycle } from './account.lifecycle.js';

const PRINCIPAL = { type: 'api_key', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b21', name: 'Website' };
const ADDRESS = {
  line1: '1 Main Street',
  line2: null,
  city: 'Springfield',
  region: 'IL',
  postalCode: '62701',
  country: 'US',
};

/** Accounts that may be named by other records: neither in the trash nor merged into another one. */
export const LIVE_ACCOUNT = { table: 'data.sales_accounts', where: 'deleted_at is null and merged_into_id is null' };

export const accountResource: ResourceDefinition<Account, AccountAction> = {
  type: 'sales.account',
  noun: 'account',
  area: 'sales',
  collection: 'accounts',
  prefix: 'ACC',
  entity: Account,
  view: AccountView,
  create: CreateAccount,
  update: UpdateAccount,
  permissions: { read: 'accounts:read', write: 'accounts:write' },
  lifecycle: accountLifecycle,
  createsTogether: true,
  stateField: 'lifecycle',
  defaults: { roles: ['prospect'] },
  references: { parentAccountId: LIVE_ACCOUNT },
  named: { mergedIntoId: { table: 'data.sales_accounts' } },
  inputs: ACCOUNT_INPUTS,
  problems: {
    update: ['invalid_transition'],
    delete: ['in_use'],
    unarchive: ['record_locked'],
  },
  bodies: {
    create: { name: 'Acme Inc.', domain: 'acme.example', roles: ['customer'], currency: 'EUR' },
    update: { paymentTermsDays: 14, billingEmail: 'billing@acme.example' },
    block: { reason: 'Invoices are disputed' },
  },
  list: {
    filters: {
      ...recordFilters('sales.account'),
      lifecycle: filter.exact(oneOf(accountLifecycle.states)),
      role: filter.related(
        oneOf(ACCOUNT_ROLES),
        `exists (select 1 from data.sales_account_roles x where x.tenant_id = t.tenant_id and x.role = any(:values)
          and x.account_id = t.id)`,
      ),
      domain: filter.exact({ ...domain(), parse: (value) => value.toLowerCase() }, true),
      industry: filter.exact(industry(), true),
      size: filter.exact(oneOf(ACCOUNT_SIZES), true),
      currency: filter.exact(currencyCode(), true),
      taxId: filter.exact(taxId(), true),
      parentAccountId: filter.exact(id(), true),
      mergedIntoId: filter.exact(id(), true),
    },
    sorts: ['createdAt', 'updatedAt', 'name'],
    defaultSort: '-createdAt',
    searchable: true,
    trashPermission: 'accounts:delete',
  },
  example: {
    id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    object: 'sales.account',
    reference: 'ACC-000017',
    name: 'Acme Inc.',
    ...EMPTY_ENVELOPE,
    version: 1,
    createdAt: '2026-11-21T09:15:02.114Z',
    updatedAt: '2026-11-21T09:15:02.114Z',
    createdBy: PRINCIPAL,
    updatedBy: PRINCIPAL,
    archivedAt: null,
    deletedAt: null,
    allowedActions: null,
    domain: 'acme.example',
    roles: ['customer'],
    industry: 'Manufacturing',
    size: 'medium',
    billingEmail: 'billing@acme.example',
    billingAddress: ADDRESS,
    shippingAddress: null,
    taxId: 'DE123456789',
    currency: 'EUR',
    paymentTermsDays: 30,
    creditLimitMinor: null,
    parentAccountId: null,
    lifecycle: 'active',
    lifecycleBefore: null,
    mergedIntoId: null,
    openDealsMinor: null,
  },
};
