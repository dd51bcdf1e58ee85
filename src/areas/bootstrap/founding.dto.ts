import { PLAN_NAMES, type Plan } from '#libs/auth/plans.js';
import { emailAddress } from '#libs/http/email-field.js';
import { Field, flag, name, oneOf } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { locale, timeZone } from '#libs/settings/locale-fields.js';
import { reason, slug, TenantView } from '#libs/tenants/tenant.dto.js';

/** Default base currency of a tenant. */
export const DEFAULT_CURRENCY = 'USD';

export class FoundTenant {
  @Field(name(), { description: 'Display name.', example: 'Acme Inc.' })
  name!: string;

  @Field(slug(), { description: 'Short name, unique across the platform. It cannot be changed.', example: 'acme' })
  slug!: string;

  @Field(emailAddress(), {
    description:
      'Email address with which the owner signs in. Required for operators. People can omit it; it is always their own address.',
    example: 'ana@acme.example',
    optional: true,
  })
  ownerEmail?: string;

  @Field(oneOf(PLAN_NAMES), { description: 'Plan.', example: 'business' })
  plan!: Plan;

  @Field(currencyCode(), {
    description: 'ISO 4217 code of the base currency; defaults to USD. It can be changed until the first posting.',
    example: 'EUR',
    optional: true,
  })
  currency?: string;

  @Field(locale(), { description: 'Language tag; defaults to en.', example: 'de-AT', optional: true })
  locale?: string;

  @Field(timeZone(), { description: 'IANA time zone; defaults to UTC.', example: 'Europe/Vienna', optional: true })
  timezone?: string;
}

/** A created tenant. */
export class FoundedTenant extends TenantView {
  @Field(flag(), { description: 'False if the tenant already existed for the same owner.', example: true })
  created!: boolean;
}

export class SuspendTenant {
  @Field(reason(), {
    description: 'Why, for the audit log and the event.',
    example: 'Three invoices are overdue.',
  })
  reason!: string;
}

export class SlugQuery {
  @Field(slug(), { description: 'Slug to check.', example: 'acme' })
  slug!: string;
}

export class SlugAnswer {
  @Field(flag(), { description: 'Whether the slug is available for a new tenant.', example: true })
  available!: boolean;
}
