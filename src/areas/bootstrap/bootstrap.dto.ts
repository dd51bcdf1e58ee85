import { Field, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { currencyCode } from '#libs/http/money-field.js';
import { SessionView } from '#libs/members/session.dto.js';
import { locale, timeZone, WEEK_STARTS } from '#libs/settings/settings.model.js';
import { TenantView } from '#libs/tenants/tenant.dto.js';

const MEMBER_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b40';
const count = () => integer({ min: 0, max: 2_147_483_647 });
const perMinute = () => integer({ min: 1, max: 2_147_483_647 });

/** Members of the document, each of which can be asked for alone. */
export const MEMBERS = [
  'session',
  'user',
  'membership',
  'tenant',
  'workspaces',
  'roles',
  'permissions',
  'limits',
  'settings',
  'counts',
  'areas',
  'server',
] as const;
export type MemberName = (typeof MEMBERS)[number];

export class StartQuery {
  @Field(listOf(oneOf(MEMBERS), { min: 1, max: MEMBERS.length, unique: true }), {
    description: 'Members to answer with; all of them if not given.',
    example: ['tenant', 'permissions'],
    optional: true,
    repeatable: true,
  })
  fields?: MemberName[];
}

export class StartUser {
  @Field(id(), { description: 'Id of the person over all tenants; null until they have signed in.', nullable: true })
  id!: string | null;

  @Field(name(), { description: 'Name of the person.', example: 'Ana Silva' })
  name!: string;

  @Field(text({ max: 254 }), { description: 'Address of the person.', example: 'ana@acme.example' })
  email!: string;
}

export class StartMembership {
  @Field(id(), { description: 'Id of the membership.', example: MEMBER_ID })
  id!: string;

  @Field(text({ max: 200 }), { description: 'Job title.', example: 'Head of Sales', nullable: true })
  title!: string | null;

  @Field(instant(), { description: 'Since when they are a member.', nullable: true })
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

export class StartRole {
  @Field(id(), { description: 'Id of the role.', example: '00000000-0000-7000-8000-000000000004' })
  id!: string;

  @Field(text({ max: 60 }), { description: 'Key of the role.', example: 'member' })
  key!: string;

  @Field(text({ max: 200 }), { description: 'Name of the role; of a system role its key.', example: 'member' })
  name!: string;
}

export class StartLimits {
  @Field(perMinute(), { description: 'Reads allowed in any 60 seconds.', example: 6_000 })
  readsPerMinute!: number;

  @Field(perMinute(), { description: 'Writes allowed in any 60 seconds.', example: 1_200 })
  writesPerMinute!: number;
}

export class StartSettings {
  @Field(locale(), { description: 'Language tag: the person’s own, else that of the tenant.', example: 'en' })
  locale!: string;

  @Field(timeZone(), { description: 'IANA time zone: the person’s own, else that of the tenant.', example: 'UTC' })
  timezone!: string;

  @Field(oneOf(WEEK_STARTS), { description: 'Day with which a week begins.', example: 'monday' })
  weekStart!: string;

  @Field(currencyCode(), { description: 'ISO 4217 code of the books.', example: 'USD' })
  currency!: string;
}

export class StartCounts {
  @Field(count(), { description: 'Requests for approval that the caller can decide.', example: 2 })
  approvals!: number;

  @Field(count(), {
    description:
      'Open tasks assigned to the caller that are due today or before, by the days of `settings.timezone`; null for a service key.',
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

/** What an app starts with. */
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
    description: 'Their membership; null for a service key.',
    nullable: true,
    optional: true,
  })
  membership?: StartMembership | null;

  @Field(nested(TenantView), { description: 'The tenant.', optional: true })
  tenant?: TenantView;

  @Field(listOf(nested(StartWorkspace), { max: 10_000 }), {
    description: 'Workspaces that the caller belongs to, the default one first.',
    optional: true,
  })
  workspaces?: StartWorkspace[];

  @Field(listOf(nested(StartRole), { max: 200 }), { description: 'Roles of the caller.', optional: true })
  roles?: StartRole[];

  @Field(listOf(text({ max: 100 }), { max: 1_000 }), {
    description:
      'What the caller may do, by what scopes and roles allow together: permissions, with `@own` or `@workspace` where they reach no farther.',
    example: ['deals:read@workspace', 'deals:write@own'],
    optional: true,
  })
  permissions?: string[];

  @Field(nested(StartLimits), { description: 'Rate limits of the tenant.', optional: true })
  limits?: StartLimits;

  @Field(nested(StartSettings), { description: 'How apps speak to people of the tenant.', optional: true })
  settings?: StartSettings;

  @Field(nested(StartCounts), { description: 'What waits for the caller.', optional: true })
  counts?: StartCounts;

  @Field(listOf(text({ max: 60 }), { max: 100 }), {
    description: 'Areas in which the caller may read something.',
    example: ['sales', 'work'],
    optional: true,
  })
  areas?: string[];

  @Field(nested(StartServer), { description: 'The server.', optional: true })
  server?: StartServer;
}
