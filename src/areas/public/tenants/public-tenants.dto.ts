import { PLAN_NAMES } from '#libs/auth/plans.js';
import { Field, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { model, PageInfo } from '#libs/resource/types/record.dto.js';
import { slug } from '#libs/tenants/tenant.dto.js';

const count = () => integer({ min: 1, max: 2_147_483_647 });

/** A tenant as everybody may see it. */
export class PublicTenant {
  @Field(slug(), { description: 'Short name of the tenant.', example: 'acme' })
  slug!: string;

  @Field(name(), { description: 'Name of the tenant.', example: 'Acme' })
  name!: string;

  @Field(text({ max: 2_000 }), { description: 'URL of the logo.', nullable: true })
  logoUrl!: string | null;

  @Field(text({ max: 7 }), { description: 'Primary colour.', example: '#0F62FE', nullable: true })
  primaryColor!: string | null;

  @Field(text({ max: 2_000 }), {
    description: 'URL at which a browser signs in to the tenant; null if this installation has no sign-in by browser.',
    example: 'https://api.example.com/api/auth/login?tenant=acme',
    nullable: true,
  })
  signInUrl!: string | null;

  @Field(text({ max: 2_000 }), {
    description: 'URL of its jobs.',
    example: 'https://api.example.com/api/public/careers/acme',
  })
  careersUrl!: string;
}

export class PublicPlan {
  @Field(oneOf(PLAN_NAMES), { description: 'Key of the plan.', example: 'starter' })
  key!: string;

  @Field(count(), { description: 'Number of members; null for no limit.', example: 100, nullable: true })
  seats!: number | null;

  @Field(count(), { description: 'Reading requests per minute.', example: 600 })
  readsPerMinute!: number;

  @Field(count(), { description: 'Writing requests per minute.', example: 120 })
  writesPerMinute!: number;
}

export const PublicPlans = model('PublicPlans', {
  data: { kind: listOf(nested(PublicPlan), { max: PLAN_NAMES.length }), description: 'The plans, the smallest first.' },
  page: { kind: nested(PageInfo), description: 'Paging information.' },
});
