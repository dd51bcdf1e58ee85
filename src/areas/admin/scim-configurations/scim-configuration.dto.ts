import { constant, Field, flag, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { PendingApproval } from '#libs/resource/approval.dto.js';
import { asksForNames } from '#libs/resource/named-list.js';
import { PageQuery } from '#libs/resource/page-query.js';
import { ActorView, PageInfo } from '#libs/resource/record.dto.js';
import { ScimEvent } from './scim-event.dto.js';

/** Type key of a configuration; also the beginning of its event types. */
export const CONFIGURATION_TYPE = 'scim.configuration';
/** Path of the configurations in the API. */
export const CONFIGURATIONS_PATH = '/api/admin/scim';

const COUNT = { min: 0, max: 2_147_483_647 };
const STATUSES = ['active', 'disabled'] as const;
export const DEPROVISION_ACTIONS = ['suspend', 'deactivate'] as const;
const MEMBER_ROLE = '00000000-0000-7000-8000-000000000004';

const roleIds = () => listOf(id(), { max: 50, unique: true });
const domains = () =>
  listOf(
    text({
      min: 1,
      max: 253,
      pattern: /^[a-z0-9.-]+\.[a-z0-9-]+$/,
      form: 'a domain in lower case, such as acme.example',
    }),
    { max: 100, unique: true },
  );

/** What the members of one group get. */
export class GroupMapping {
  @Field(name(), { description: 'Name of the group at the identity provider, in any case.', example: 'Sales' })
  group!: string;

  @Field(roleIds(), { description: 'Roles that its members get, never that of owners.', example: [MEMBER_ROLE] })
  roleIds!: string[];

  @Field(listOf(id(), { max: 100, unique: true }), {
    description: 'Workspaces that its members join.',
    example: [],
  })
  workspaceIds!: string[];
}

/** What everybody may know of a configuration: what its events carry. */
export class ScimConfigurationFacts {
  @Field(id(), { description: 'Id of the configuration (UUIDv7).', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b70' })
  id!: string;

  @Field(constant(CONFIGURATION_TYPE), { description: 'Type of the record.', example: CONFIGURATION_TYPE })
  object!: string;

  @Field(name(), { description: 'What people recognise it by.', example: 'Entra ID' })
  name!: string;

  @Field(oneOf(STATUSES), { description: 'While it is disabled every call is refused.', example: 'active' })
  status!: (typeof STATUSES)[number];

  @Field(roleIds(), { description: 'Roles of everybody whom it makes a member.', example: [MEMBER_ROLE] })
  defaultRoleIds!: string[];

  @Field(listOf(nested(GroupMapping), { max: 1_000 }), {
    description: 'What the members of groups get. Taken back when somebody leaves the group, or the mapping changes.',
    example: [{ group: 'Sales', roleIds: [MEMBER_ROLE], workspaceIds: [] }],
  })
  groupRoleMap!: GroupMapping[];

  @Field(oneOf(DEPROVISION_ACTIONS), {
    description:
      'What becomes of a membership when the provider says `active: false`: suspend keeps its keys for when it comes back, deactivate revokes them.',
    example: 'suspend',
  })
  deprovisionAction!: (typeof DEPROVISION_ACTIONS)[number];

  @Field(domains(), { description: 'Domains that addresses may be in; empty for any.', example: ['acme.example'] })
  allowedDomains!: string[];

  @Field(integer({ min: 1, max: COUNT.max }), { description: 'Rises with each change.', example: 1 })
  version!: number;

  @Field(instant(), { description: 'When it was made.', example: '2026-11-21T09:15:02.114Z' })
  createdAt!: string;

  @Field(instant(), { description: 'When it last changed.', example: '2026-11-21T09:15:02.114Z' })
  updatedAt!: string;
}

export class ScimConfiguration extends ScimConfigurationFacts {
  @Field(text({ max: 40 }), { description: 'Beginning of the newest token.', example: 'scim_0a1B2c3D4e5F' })
  tokenPrefix!: string;

  @Field(text({ max: 4 }), { description: 'End of the newest token.', example: '7Qx2' })
  tokenLast4!: string;

  @Field(instant(), { description: 'When the newest token expires; null for never.', nullable: true })
  tokenExpiresAt!: string | null;

  @Field(nested(ActorView), { description: 'Who made it.' })
  createdBy!: ActorView;

  @Field(instant(), { description: 'When one of its tokens was last used, to about half a minute.', nullable: true })
  lastUsedAt!: string | null;

  @Field(integer(COUNT), { description: 'Users that it manages.', example: 1_204 })
  userCount!: number;

  @Field(integer(COUNT), { description: 'Groups that it has pushed.', example: 12 })
  groupCount!: number;

  @Field(integer(COUNT), { description: 'Calls of the last 24 hours that were refused or failed.', example: 0 })
  recentErrors!: number;
}

export class ScimConfigurationList {
  @Field(listOf(nested(ScimConfiguration), { max: 200 }), {
    description: 'The configurations of this page, the oldest first.',
  })
  data!: ScimConfiguration[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;

  @Field(text({ max: 500 }), {
    description: 'Base URL to enter at the identity provider.',
    example: 'https://api.example.com/api/scim/v2',
  })
  baseUrl!: string;

  @Field(listOf(nested(ScimEvent), { max: 100 }), {
    description: 'With `include=events`: the last 100 calls, the newest first. Otherwise null.',
    nullable: true,
  })
  events!: ScimEvent[] | null;
}

export class ScimConfigurationQuery extends PageQuery {
  @Field(listOf(oneOf(['events']), { max: 1 }), {
    description: '`events` for the last 100 calls.',
    example: ['events'],
    optional: true,
  })
  include?: string[];
}
asksForNames(ScimConfigurationQuery, 'by age');

const ACTIONS = ['create', 'update', 'rotate_token', 'enable', 'disable'] as const;
export type ScimAction = (typeof ACTIONS)[number];

export class MappingInput {
  @Field(name(), { description: 'Name of the group at the identity provider, in any case.', example: 'Sales' })
  group!: string;

  @Field(roleIds(), { description: 'Roles that its members get.', example: [MEMBER_ROLE] })
  roleIds!: string[];

  @Field(listOf(id(), { max: 100, unique: true }), { description: 'Workspaces that its members join.', optional: true })
  workspaceIds?: string[];
}

export class ScimCommand {
  @Field(oneOf(ACTIONS), {
    description:
      'create if not given. update changes what is named; rotate_token makes a new token while the old one stays valid for the overlap; disable refuses every call until enable.',
    example: 'create',
    optional: true,
  })
  action?: ScimAction;

  @Field(id(), { description: 'The configuration, for every action but create.', optional: true })
  id?: string;

  @Field(name(), { description: 'What people recognise it by; create needs it.', example: 'Entra ID', optional: true })
  name?: string;

  @Field(roleIds(), {
    description: 'Roles of everybody whom it makes a member from now on; the role of members if not given.',
    example: [MEMBER_ROLE],
    optional: true,
  })
  defaultRoleIds?: string[];

  @Field(listOf(nested(MappingInput), { max: 1_000 }), {
    description: 'What the members of groups get: the whole map. Who gives a role here holds all of it.',
    optional: true,
  })
  groupRoleMap?: MappingInput[];

  @Field(oneOf(DEPROVISION_ACTIONS), {
    description: 'What becomes of a membership when the provider says `active: false`; suspend if not given.',
    optional: true,
  })
  deprovisionAction?: (typeof DEPROVISION_ACTIONS)[number];

  @Field(domains(), { description: 'Domains that addresses may be in; any if not given.', optional: true })
  allowedDomains?: string[];

  @Field(integer({ min: 1, max: 365 }), {
    description: 'Days after which the token expires; 365 if not given.',
    example: 180,
    optional: true,
  })
  tokenExpiresInDays?: number;

  @Field(integer({ min: 0, max: 72 }), {
    description: 'rotate_token: hours for which the old token stays valid; 24 if not given.',
    optional: true,
  })
  overlapHours?: number;
}

export class ScimCommandResult extends ScimConfiguration {
  @Field(text({ max: 200 }), {
    description: 'The new token, after create and rotate_token; shown this once.',
    nullable: true,
  })
  token!: string | null;

  @Field(text({ max: 500 }), {
    description: 'Base URL to enter at the identity provider.',
    example: 'https://api.example.com/api/scim/v2',
  })
  baseUrl!: string;

  @Field(nested(PendingApproval), {
    description:
      'The request for approval that an update waits for, because it gives a role that runs the tenant: the connection is as it was. Else null.',
    nullable: true,
    example: null,
  })
  pendingApproval!: PendingApproval | null;
}

export class DeleteScimConfigurationQuery {
  @Field(oneOf(['none', 'suspend_users']), {
    description: 'What becomes of the users that it manages; none if not given: they stay, and are managed by hand.',
    optional: true,
  })
  deprovision?: 'none' | 'suspend_users';
}

export class DeletedScimConfiguration {
  @Field(id(), { description: 'Id of the configuration.' })
  id!: string;

  @Field(flag(), { description: 'Always true.', example: true })
  deleted!: true;

  @Field(flag(), { description: 'Always true: its next call is refused.', example: true })
  tokenRevoked!: true;

  @Field(integer(COUNT), { description: 'Users that were suspended.', example: 0 })
  usersAffected!: number;
}
