import { PLAN_NAMES } from '#libs/auth/plans.js';
import { constant, Field, id, instant, integer, name, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { statusOf, type Tenant, TENANT_STATUSES, TENANT_TYPE, type TenantStatus } from './tenant.js';

const perMinute = () => integer({ min: 1, max: 2_147_483_647 });

/** Reason for a change of a tenant. */
export const reason = () => text({ min: 1, max: 500, pattern: /\S/ });

/** The short name of a tenant. */
export const slug = () =>
  text({
    min: 1,
    max: 63,
    pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    form: 'lower-case letters, digits and hyphens, with no hyphen first or last',
  });

/** A tenant as its members and the receivers of its events see it. */
export class TenantView {
  @Field(id(), { description: 'Id of the tenant.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b01' })
  id!: string;

  @Field(constant(TENANT_TYPE), { description: 'Type of the record.', example: TENANT_TYPE })
  object!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Increases by one with each change; also the ETag.',
    example: 1,
  })
  version!: number;

  @Field(slug(), { description: 'Short name, unique across the platform.', example: 'acme' })
  slug!: string;

  @Field(name(), { description: 'Display name.', example: 'Acme Inc.' })
  name!: string;

  @Field(oneOf(PLAN_NAMES), { description: 'Plan.', example: 'business' })
  plan!: string;

  @Field(currencyCode(), { description: 'Currency of the books (ISO 4217).', example: 'USD' })
  currency!: string;

  @Field(perMinute(), { description: 'Reads allowed in any 60 seconds.', example: 6_000 })
  readsPerMinute!: number;

  @Field(perMinute(), { description: 'Writes allowed in any 60 seconds.', example: 1_200 })
  writesPerMinute!: number;

  @Field(oneOf(TENANT_STATUSES), {
    description:
      'Requests of a suspended tenant are refused, and its background work is deferred. A closing tenant works as before.',
    example: 'active',
  })
  status!: TenantStatus;

  @Field(text({ max: 500 }), {
    description: 'Reason for the suspension; null if the tenant is not suspended.',
    nullable: true,
  })
  suspensionReason!: string | null;

  @Field(instant(), {
    description:
      'Time at which all access ends permanently; null unless the tenant is closing. Until then the closure can be cancelled.',
    nullable: true,
    example: null,
  })
  closesAt!: string | null;

  @Field(instant(), { description: 'Time of creation.' })
  createdAt!: string;

  @Field(instant(), { description: 'Time of the last change.' })
  updatedAt!: string;
}

/** The representation of a tenant in responses and events. */
export function viewOf(tenant: Tenant): TenantView {
  const { id, slug, name, plan, currency, readsPerMinute, writesPerMinute, version, createdAt, updatedAt } = tenant;
  const { suspensionReason, closesAt } = tenant;
  return {
    id,
    object: TENANT_TYPE,
    version,
    slug,
    name,
    plan,
    currency,
    readsPerMinute,
    writesPerMinute,
    status: statusOf(tenant),
    suspensionReason,
    closesAt,
    createdAt,
    updatedAt,
  };
}
