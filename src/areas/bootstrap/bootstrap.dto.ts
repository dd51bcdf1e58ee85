import { Field, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { CallersRole, SessionView } from '#libs/members/session.dto.js';
import { locale, timeZone } from '#libs/settings/locale-fields.js';
import { BrandingSettings, FeatureSettings, WEEK_STARTS } from '#libs/settings/settings.model.js';
import { OnboardingProgress } from '#libs/tenants/tenant-onboarding.js';
import { slug, TenantView } from '#libs/tenants/tenant.dto.js';
import { type StartType, typesByKey } from './start-types.dto.js';

const MEMBER_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40';
const count = () => integer({ min: 0, max: 2_147_483_647 });
const perMinute = () => integer({ min: 1, max: 2_147_483_647 });

/** Members of the document, each of which can be asked for alone. */
export const MEMBERS = [
  'session',
  'user',
  'membership',
  'tenant',
  'tenants',
  'workspaces',
  'roles',
  'permissions',
  'limits',
  'settings',
  'features',
  'types',
  'counts',
  'onboarding',
  'areas',
  'server',
] as const;
export type MemberName = (typeof MEMBERS)[number];

export class StartQuery {
  @Field(listOf(oneOf(MEMBERS), { min: 1, max: MEMBERS.length, unique: true }), {
    description: 'Members to return; defaults to all.',
    example: ['tenant', 'permissions'],
    optional: true,
  })
  fields?: MemberName[];
}

export class StartUser {
  @Field(id(), { description: 'User id, valid across all tenants; null until the first sign-in.', nullable: true })
  id!: string | null;

  @Field(name(), {
    description: 'Name of the person. Null for a session without a tenant if the identity provider sends no name.',
    example: 'Ana Silva',
    nullable: true,
  })
  name!: string | null;

  @Field(text({ max: 254 }), {
    description:
      'Email address of the person. Null for a session without a tenant if the identity provider has not verified one.',
    example: 'ana@acme.example',
    nullable: true,
  })
  email!: string | null;
}

export class StartMembership {
  @Field(id(), { description: 'Id of the membership.', example: MEMBER_ID })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Job title.', example: 'Head of Sales', nullable: true })
  title!: string | null;

  @Field(instant(), { description: 'Start of the membership.', nullable: true })
  joinedAt!: string | null;
}

export class StartWorkspace {
  @Field(id(), { description: 'Id of the workspace.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b60' })
  id!: string;

  @Field(name(), { description: 'Name of the workspace.', example: 'General' })
  name!: string;

  @Field(text({ max: 60 }), { description: 'Short key.', example: 'GENERAL' })
  key!: string;

  @Field(oneOf(['lead', 'member', 'guest']), { description: 'Role of the caller in it.', example: 'member' })
  role!: 'lead' | 'member' | 'guest';
}

/** A tenant that the person can switch to. */
export class StartTenant {
  @Field(slug(), { description: 'Slug of the tenant, for `POST /api/auth/switch-tenant`.', example: 'acme' })
  slug!: string;

  @Field(name(), { description: 'Name of the tenant.', example: 'Acme Inc.' })
  name!: string;
}

export class StartLimits {
  @Field(perMinute(), { description: 'Reads allowed in any 60 seconds.', example: 6_000 })
  readsPerMinute!: number;

  @Field(perMinute(), { description: 'Writes allowed in any 60 seconds.', example: 1_200 })
  writesPerMinute!: number;
}

export class StartSettings {
  @Field(locale(), { description: 'Language tag of the person, or else of the tenant.', example: 'en' })
  locale!: string;

  @Field(timeZone(), { description: 'IANA time zone of the person, or else of the tenant.', example: 'UTC' })
  timezone!: string;

  @Field(oneOf(WEEK_STARTS), { description: 'Day with which a week begins.', example: 'monday' })
  weekStart!: string;

  @Field(currencyCode(), { description: 'ISO 4217 code of the books.', example: 'USD' })
  currency!: string;

  @Field(nested(BrandingSettings), { description: 'Branding of the tenant.' })
  branding!: BrandingSettings;
}

export class StartCounts {
  @Field(count(), { description: 'Unread notifications; null for a service key.', example: 3, nullable: true })
  notifications!: number | null;

  @Field(count(), { description: 'Requests for approval that the caller can decide.', example: 2 })
  approvals!: number;

  @Field(count(), {
    description:
      'Open tasks assigned to the caller that are due today or overdue, in the time zone `settings.timezone`. Null for a service key.',
    example: 5,
    nullable: true,
  })
  tasksDue!: number | null;
}

export class StartServer {
  @Field(text({ max: 20 }), { description: 'Version of the API.', example: '1.0.0' })
  version!: string;

  @Field(instant(), { description: 'Time of the server. The ETag does not change with it.' })
  time!: string;
}

/** The bootstrap document: initial data for apps. */
export class StartDocument {
  @Field(nested(SessionView), {
    description: 'The session of the request; null for an API key.',
    nullable: true,
    optional: true,
  })
  session?: SessionView | null;

  @Field(nested(StartUser), {
    description: 'Person that the caller acts for; null for a service key.',
    nullable: true,
    optional: true,
  })
  user?: StartUser | null;

  @Field(nested(StartMembership), {
    description: 'Membership of the caller; null for a service key or without a tenant.',
    nullable: true,
    optional: true,
  })
  membership?: StartMembership | null;

  @Field(nested(TenantView), {
    description: 'The tenant; null for a session without one.',
    nullable: true,
    optional: true,
  })
  tenant?: TenantView | null;

  @Field(listOf(nested(StartTenant), { max: 100 }), {
    description: 'Tenants that the person can switch to, including the current one; empty for an API key.',
    optional: true,
  })
  tenants?: StartTenant[];

  @Field(listOf(nested(StartWorkspace), { max: 10_000 }), {
    description: 'Workspaces that the caller belongs to, the default one first.',
    optional: true,
  })
  workspaces?: StartWorkspace[];

  @Field(listOf(nested(CallersRole), { max: 200 }), { description: 'Roles of the caller.', optional: true })
  roles?: CallersRole[];

  @Field(listOf(text({ max: 100 }), { max: 1_000 }), {
    description:
      'Permissions of the caller, limited by both scopes and roles, with `@own` or `@workspace` if their reach is limited.',
    example: ['deals:read@workspace', 'deals:write@own'],
    optional: true,
  })
  permissions?: string[];

  @Field(nested(StartLimits), {
    description: 'Rate limits of the tenant; null without a tenant.',
    nullable: true,
    optional: true,
  })
  limits?: StartLimits | null;

  @Field(nested(StartSettings), {
    description: 'Language, time zone and branding for apps; null without a tenant.',
    nullable: true,
    optional: true,
  })
  settings?: StartSettings | null;

  @Field(nested(FeatureSettings), {
    description: 'Enabled areas of the tenant; null without a tenant.',
    nullable: true,
    optional: true,
  })
  features?: FeatureSettings | null;

  @Field(typesByKey(), {
    description:
      'The types of records that the caller may read, by key, with the custom fields and pipelines of the tenant; null without a tenant. `GET /api/discovery/types/{object}` describes the fields of a type.',
    example: { 'sales.deal': { customFields: [], pipelines: [], version: '5f2b8c1e9a3d7046' } },
    nullable: true,
    optional: true,
  })
  types?: Record<string, StartType> | null;

  @Field(nested(StartCounts), {
    description: 'Pending work of the caller; null without a tenant.',
    nullable: true,
    optional: true,
  })
  counts?: StartCounts | null;

  @Field(nested(OnboardingProgress), {
    description: 'Onboarding of the tenant; null without a tenant or `onboarding:read`.',
    nullable: true,
    optional: true,
  })
  onboarding?: OnboardingProgress | null;

  @Field(listOf(text({ max: 60 }), { max: 100 }), {
    description: 'Areas in which the caller has read access.',
    example: ['sales', 'work'],
    optional: true,
  })
  areas?: string[];

  @Field(nested(StartServer), { description: 'The server.', optional: true })
  server?: StartServer;
}
