import { emailAddress } from '#libs/http/email-field.js';
import { Field, id, integer, listOf, nested, oneOf, text, type FieldOptions } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { MAX_MINOR } from '#libs/kernel/money.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { paymentTerms } from '#libs/settings/settings.model.js';
import { accountLifecycle } from './account.lifecycle.js';
import { AccountAddress, AccountAddressView } from './address.dto.js';

export const ACCOUNT_ROLES = ['prospect', 'customer', 'vendor', 'partner'] as const;
export const ACCOUNT_SIZES = ['micro', 'small', 'medium', 'large', 'enterprise'] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];
export type AccountSize = (typeof ACCOUNT_SIZES)[number];
export type AccountLifecycle = (typeof accountLifecycle.states)[number];

const DOMAIN = /^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}$/;

export const domain = () => text({ min: 4, max: 253, pattern: DOMAIN, form: 'a domain such as acme.example' });
export const industry = () => text({ min: 1, max: 100 });
export const taxId = () => text({ min: 1, max: 60 });
const roles = () => listOf(oneOf(ACCOUNT_ROLES), { max: ACCOUNT_ROLES.length, unique: true });
const limit = () => integer({ min: 0, max: MAX_MINOR });
const may = (options: FieldOptions): FieldOptions => ({ ...options, optional: true, nullable: true });

const DOMAIN_FIELD = { description: 'Internet domain, in lower case.', example: 'acme.example' };
const ROLES_FIELD = { description: 'What the account is to the tenant.', example: ['customer'] };
const INDUSTRY_FIELD = { description: 'Line of business.', example: 'Manufacturing' };
const SIZE_FIELD = {
  description: 'People: micro below 10, small below 50, medium below 250, large below 1,000, enterprise from there on.',
  example: 'medium',
};
const EMAIL_FIELD = { description: 'Where invoices go.', example: 'billing@acme.example' };
const TAX_FIELD = { description: 'Tax number, e.g. for VAT.', example: 'DE123456789' };
const CURRENCY_FIELD = { description: 'ISO 4217 code of its deals; the tenant’s own if null.', example: 'EUR' };
const TERMS_FIELD = { description: 'Days to pay; the tenant’s own if null.', example: 30 };
const LIMIT_FIELD = { description: 'What it may owe, in minor units; without limit if null.', example: 5000000 };
const PARENT_FIELD = { description: 'The account that it belongs to.' };

export class CreateAccount extends RecordInput {
  @Field(domain(), may(DOMAIN_FIELD))
  domain!: string | null;

  @Field(roles(), { ...ROLES_FIELD, description: `${ROLES_FIELD.description} prospect if not given.`, optional: true })
  roles!: AccountRole[];

  @Field(industry(), may(INDUSTRY_FIELD))
  industry!: string | null;

  @Field(oneOf(ACCOUNT_SIZES), may(SIZE_FIELD))
  size!: AccountSize | null;

  @Field(emailAddress(), may(EMAIL_FIELD))
  billingEmail!: string | null;

  @Field(nested(AccountAddress), may({ description: 'Where invoices are addressed to.' }))
  billingAddress!: AccountAddress | null;

  @Field(nested(AccountAddress), may({ description: 'Where goods go.' }))
  shippingAddress!: AccountAddress | null;

  @Field(taxId(), may(TAX_FIELD))
  taxId!: string | null;

  @Field(currencyCode(), may(CURRENCY_FIELD))
  currency!: string | null;

  @Field(paymentTerms(), may(TERMS_FIELD))
  paymentTermsDays!: number | null;

  @Field(limit(), may(LIMIT_FIELD))
  creditLimitMinor!: number | null;

  @Field(id(), may(PARENT_FIELD))
  parentAccountId!: string | null;
}

export class LoseAccount {
  @Field(text({ min: 1, max: 500 }), {
    description: 'Why; kept in the audit log.',
    example: 'Moved to a competitor',
    optional: true,
  })
  reason!: string;
}

export class BlockAccount {
  @Field(text({ min: 1, max: 500 }), { description: 'Why; kept in the audit log.', example: 'Invoices are disputed' })
  reason!: string;
}

export const ACCOUNT_INPUTS = { churn: LoseAccount, block: BlockAccount };

/** A merge patch; with `lifecycle` it is the action that leads there. */
export const UpdateAccount = updateOf('UpdateAccount', CreateAccount, {
  field: 'lifecycle',
  lifecycle: accountLifecycle,
  inputs: ACCOUNT_INPUTS,
});

export class MergeAccount {
  @Field(id(), { description: 'The account that stays.' })
  intoId!: string;
}

/** What the open deals of one currency come to. */
export class OpenDeals {
  @Field(currencyCode(), { description: 'ISO 4217 code.', example: 'USD' })
  currency!: string;

  @Field(integer({ min: 0, max: MAX_MINOR }), {
    description: 'Sum in minor units; null beyond the range of exact numbers.',
    example: 2500000,
    nullable: true,
  })
  valueMinor!: number | null;
}

export class AccountView extends RecordView {
  @Field(domain(), { ...DOMAIN_FIELD, nullable: true })
  domain!: string | null;

  @Field(roles(), ROLES_FIELD)
  roles!: AccountRole[];

  @Field(industry(), { ...INDUSTRY_FIELD, nullable: true })
  industry!: string | null;

  @Field(oneOf(ACCOUNT_SIZES), { ...SIZE_FIELD, nullable: true })
  size!: AccountSize | null;

  @Field(emailAddress(), { ...EMAIL_FIELD, nullable: true })
  billingEmail!: string | null;

  @Field(nested(AccountAddressView), { description: 'Where invoices are addressed to.', nullable: true })
  billingAddress!: AccountAddress | null;

  @Field(nested(AccountAddressView), { description: 'Where goods go.', nullable: true })
  shippingAddress!: AccountAddress | null;

  @Field(taxId(), { ...TAX_FIELD, nullable: true })
  taxId!: string | null;

  @Field(currencyCode(), { ...CURRENCY_FIELD, nullable: true })
  currency!: string | null;

  @Field(paymentTerms(), { ...TERMS_FIELD, nullable: true })
  paymentTermsDays!: number | null;

  @Field(limit(), { ...LIMIT_FIELD, nullable: true })
  creditLimitMinor!: number | null;

  @Field(id(), { ...PARENT_FIELD, nullable: true })
  parentAccountId!: string | null;

  @Field(oneOf(accountLifecycle.states), { description: 'Where business with it stands.', example: 'active' })
  lifecycle!: AccountLifecycle;

  @Field(oneOf(accountLifecycle.states), {
    description: 'Where it returns to when it is no longer blocked.',
    nullable: true,
  })
  lifecycleBefore!: AccountLifecycle | null;

  @Field(id(), { description: 'The account that it was merged into.', nullable: true })
  mergedIntoId!: string | null;

  @Field(listOf(nested(OpenDeals), { max: 200 }), {
    description:
      'Value of its open deals by currency. Only where one account is read, for who may read deals; null elsewhere.',
    nullable: true,
  })
  openDealsMinor!: OpenDeals[] | null;
}
