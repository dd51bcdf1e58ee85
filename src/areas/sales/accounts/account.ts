import { domainName } from '#libs/http/domain-field.js';
import { emailAddress } from '#libs/http/email-field.js';
import { id, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { paymentTerms } from '#libs/settings/settings.model.js';
import { accountLifecycle, type AccountState } from './account.lifecycle.js';
import {
  AccountAddress,
  AccountAddressView,
  AccountSum,
  BlockAccount,
  LoseAccount,
  OpenDeals,
} from './account.parts.js';

export const ACCOUNT_ROLES = ['prospect', 'customer', 'vendor', 'partner'] as const;
export const ACCOUNT_SIZES = ['micro', 'small', 'medium', 'large', 'enterprise'] as const;

/** Accounts that other records can reference: neither in the trash nor merged. */
export const LIVE_ACCOUNT = { table: 'data.sales_accounts', where: 'deleted_at is null and merged_into_id is null' };

const HAS_ROLE = `exists (select 1 from data.sales_account_roles x where x.tenant_id = t.tenant_id
  and x.role = any(:values) and x.account_id = t.id)`;

/** A company or person that the tenant does business with. */
export class Account extends RecordRow {
  @Attribute(domainName(), 'Internet domain; it is kept in ASCII and lower case.', {
    example: 'acme.example',
    nullable: true,
    filter: filter.exact(domainName(), true),
  })
  domain!: string | null;

  @Attribute(
    listOf(oneOf(ACCOUNT_ROLES), { max: ACCOUNT_ROLES.length, unique: true }),
    'Roles of the account towards the tenant; `prospect` by default.',
    { default: ['prospect'], example: ['customer'] },
  )
  roles!: (typeof ACCOUNT_ROLES)[number][];

  @Attribute(text({ min: 1, max: 100 }), 'Line of business.', {
    example: 'Manufacturing',
    nullable: true,
    filter: true,
  })
  industry!: string | null;

  @Attribute(
    oneOf(ACCOUNT_SIZES),
    'Number of employees: micro below 10, small below 50, medium below 250, large below 1,000, enterprise from there on.',
    { example: 'medium', nullable: true, filter: true },
  )
  size!: (typeof ACCOUNT_SIZES)[number] | null;

  @Attribute(emailAddress(), 'E-mail address for invoices.', {
    example: 'billing@acme.example',
    nullable: true,
    privacy: 'personal',
  })
  billingEmail!: string | null;

  @Attribute(nested(AccountAddressView), 'Address for invoices.', {
    given: nested(AccountAddress),
    nullable: true,
    example: {
      line1: '1 Main Street',
      line2: null,
      city: 'Springfield',
      region: 'IL',
      postalCode: '62701',
      country: 'US',
    },
    privacy: 'personal',
  })
  billingAddress!: AccountAddress | null;

  @Attribute(nested(AccountAddressView), 'Address for deliveries.', {
    given: nested(AccountAddress),
    nullable: true,
    privacy: 'personal',
  })
  shippingAddress!: AccountAddress | null;

  @Attribute(text({ min: 1, max: 60 }), 'Tax number, such as one for VAT.', {
    example: 'DE123456789',
    nullable: true,
    filter: true,
    privacy: 'personal',
  })
  taxId!: string | null;

  @Attribute(currencyCode(), 'ISO 4217 code for its deals and invoices; the tenant’s base currency if null.', {
    example: 'EUR',
    nullable: true,
    filter: true,
  })
  currency!: string | null;

  @Attribute(paymentTerms(), 'Days to pay in; those of the tenant’s settings if null.', {
    example: 30,
    nullable: true,
  })
  paymentTermsDays!: number | null;

  @Attribute(
    integer({ min: 0, max: MAX_MINOR }),
    'Credit limit in minor units of its currency; none if null. An invoice that exceeds it is issued with a warning; a gate on `invoice.issue` can test `exceedsCreditLimit`. Invoices in other currencies do not count.',
    { example: 5000000, nullable: true },
  )
  creditLimitMinor!: number | null;

  @Attribute(id(), 'Parent account.', { nullable: true, names: LIVE_ACCOUNT, filter: true })
  parentAccountId!: string | null;

  @ReadOnly(oneOf(accountLifecycle.states), 'State of the business with the account.', {
    example: 'active',
    filter: true,
  })
  lifecycle!: AccountState;

  @ReadOnly(oneOf(accountLifecycle.states), 'State to which a blocked account returns; null for any other.', {
    nullable: true,
  })
  lifecycleBefore!: AccountState | null;

  @ReadOnly(id(), 'Account that this one was merged into.', {
    nullable: true,
    names: { table: 'data.sales_accounts' },
    filter: true,
  })
  mergedIntoId!: string | null;

  @Derived(
    listOf(nested(OpenDeals), { max: 200 }),
    'Value of its open deals by currency, where one account is read by a caller who may read deals; null elsewhere.',
    { nullable: true },
  )
  openDealsMinor?: OpenDeals[] | null;

  @Derived(
    listOf(nested(AccountSum), { max: 200 }),
    'Open amounts of its issued invoices by currency, where one account is read by a caller who may read invoices; null elsewhere.',
    { nullable: true },
  )
  receivableMinor?: AccountSum[] | null;

  @Derived(
    listOf(nested(AccountSum), { max: 200 }),
    'Totals of its issued invoices by currency, without void ones and less what was credited and written off. Null as for `receivableMinor`.',
    { nullable: true },
  )
  lifetimeMinor?: AccountSum[] | null;
}

export type ShownAccount = Shown<Account>;

export const accounts = recordType(Account, {
  area: 'sales',
  collection: 'accounts',
  noun: 'account',
  prefix: 'ACC',
  permissions: { read: 'accounts:read', write: 'accounts:write' },
  name: { example: 'Acme Inc.' },
  lifecycle: accountLifecycle,
  stateField: 'lifecycle',
  events: { merged: 'An account was merged into another one.' },
  inputs: { churn: LoseAccount, block: BlockAccount },
  createsTogether: true,
  filters: { role: filter.related(oneOf(ACCOUNT_ROLES), HAS_ROLE) },
  problems: { delete: ['in_use'], unarchive: ['record_locked'] },
  bodies: { block: { reason: 'Invoices are disputed' } },
});
