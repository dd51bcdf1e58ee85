import { Field, fieldsOf, flag, id, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { PendingApproval } from '#libs/resource/gates/approval.dto.js';
import type { ShownObject } from '#libs/resource/types/governed-type.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { model, PageInfo } from '#libs/resource/types/record.dto.js';
import {
  DEPROVISION_ACTIONS,
  domains,
  MEMBER_ROLE,
  roleIds,
  type ScimConfiguration,
  scimConfigurations,
} from './scim-configuration.js';
import { ScimEvent } from './scim-event.js';

const COUNT = { min: 0, max: 2_147_483_647 };
const BASE_URL = 'Base URL to enter at the identity provider.';

export type ScimConfigurationView = ShownObject<ScimConfiguration>;

export class ScimConfigurationList {
  @Field(listOf(nested(scimConfigurations.view), { max: 200 }), {
    description: 'The configurations of this page, the oldest first.',
  })
  data!: ScimConfigurationView[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;

  @Field(text({ max: 500 }), {
    description: BASE_URL,
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

  @Field(name(), {
    description: 'Name by which people recognise it; create needs it.',
    example: 'Entra ID',
    optional: true,
  })
  name?: string;

  @Field(roleIds(), {
    description: 'Roles of everybody whom it makes a member from now on; the role of members if not given.',
    example: [MEMBER_ROLE],
    optional: true,
  })
  defaultRoleIds?: string[];

  @Field(listOf(nested(MappingInput), { max: 1_000 }), {
    description:
      'Roles and workspaces that the members of groups get: the whole map. Who gives a role here holds all of it.',
    optional: true,
  })
  groupRoleMap?: MappingInput[];

  @Field(oneOf(DEPROVISION_ACTIONS), {
    description: 'Change of a membership when the provider says `active: false`; suspend if not given.',
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

export const ScimCommandResult = model('ScimCommandResult', {
  ...Object.fromEntries(fieldsOf(scimConfigurations.view)),
  token: {
    kind: text({ max: 200 }),
    description: 'The new token, after create and rotate_token; shown this once.',
    nullable: true,
  },
  baseUrl: { kind: text({ max: 500 }), description: BASE_URL, example: 'https://api.example.com/api/scim/v2' },
  pendingApproval: {
    kind: nested(PendingApproval),
    description:
      'Request for approval that an update waits for because it gives a role that runs the tenant, while the connection stays as it was; null if it is done.',
    nullable: true,
    example: null,
  },
});
export type ScimCommandResult = ScimConfigurationView & {
  token: string | null;
  baseUrl: string;
  pendingApproval: PendingApproval | null;
};

export class DeleteScimConfigurationQuery {
  @Field(oneOf(['none', 'suspend_users']), {
    description:
      '`suspend_users` to suspend the users that it manages; with `none`, the default, they stay and are managed by hand.',
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
