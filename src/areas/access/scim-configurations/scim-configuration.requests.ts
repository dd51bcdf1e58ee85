import { command } from '#libs/http/command.js';
import { type Fault, Field, fieldsOf, flag, id, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { comparisonKey } from '#libs/kernel/domain.js';
import { moves } from '#libs/kernel/lifecycle.js';
import { PendingApproval } from '#libs/resource/gates/approval.parts.js';
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
    description: 'The configurations of this page, oldest first.',
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
    description: 'The last 100 calls, newest first, with `include=events`; null otherwise.',
    nullable: true,
  })
  events!: ScimEvent[] | null;
}

export class ScimConfigurationQuery extends PageQuery {
  @Field(listOf(oneOf(['events']), { max: 1 }), {
    description: '`events` includes the last 100 calls.',
    example: ['events'],
    optional: true,
  })
  include?: string[];
}
asksForNames(ScimConfigurationQuery, 'by age');

const ACTIONS = ['create', 'update', 'rotate_token', 'enable', 'disable'] as const;
export type ScimAction = (typeof ACTIONS)[number];

export class MappingInput {
  @Field(name(), { description: 'Name of the group at the identity provider, case-insensitive.', example: 'Sales' })
  group!: string;

  @Field(roleIds(), { description: 'Roles granted to its members.', example: [MEMBER_ROLE] })
  roleIds!: string[];

  @Field(listOf(id(), { max: 100, unique: true }), { description: 'Workspaces that its members join.', optional: true })
  workspaceIds?: string[];
}

export class ScimCommand {
  @Field(oneOf(ACTIONS), {
    description:
      'Defaults to `create`. `update` changes the given fields; `rotate_token` creates a new token while the old one stays valid for the overlap; `disable` refuses every call until `enable`.',
    example: 'create',
    optional: true,
  })
  action?: ScimAction;

  @Field(id(), { description: 'The configuration; required for every action except `create`.', optional: true })
  id?: string;

  @Field(name(), {
    description: 'Display name; required for `create`.',
    example: 'Entra ID',
    optional: true,
  })
  name?: string;

  @Field(roleIds(), {
    description: 'Roles of users that it provisions from now on; defaults to the role `member`.',
    example: [MEMBER_ROLE],
    optional: true,
  })
  defaultRoleIds?: string[];

  @Field(listOf(nested(MappingInput), { max: 1_000 }), {
    description:
      'Complete map of the roles and workspaces granted to members of groups. You must hold all permissions of these roles.',
    optional: true,
  })
  groupRoleMap?: MappingInput[];

  @Field(oneOf(DEPROVISION_ACTIONS), {
    description: 'Action when the provider sends `active: false`; defaults to `suspend`.',
    optional: true,
  })
  deprovisionAction?: (typeof DEPROVISION_ACTIONS)[number];

  @Field(domains(), { description: 'Allowed e-mail domains; defaults to any.', optional: true })
  allowedDomains?: string[];

  @Field(integer({ min: 1, max: 365 }), {
    description: 'Days after which the token expires; defaults to 365.',
    example: 180,
    optional: true,
  })
  tokenExpiresInDays?: number;

  @Field(integer({ min: 0, max: 72 }), {
    description: 'For `rotate_token`: hours for which the old token stays valid; defaults to 24.',
    optional: true,
  })
  overlapHours?: number;
}

/** Connections are active until they are disabled. */
export const connectionLife = moves({
  states: ['active', 'disabled'],
  initial: 'active',
  transitions: {
    enable: { from: ['disabled'], to: 'active', event: 'enabled', needs: ['id'] },
    disable: { from: ['active'], to: 'disabled', event: 'disabled', needs: ['id'] },
  },
});

const CONTENT = ['defaultRoleIds', 'groupRoleMap', 'deprovisionAction', 'allowedDomains', 'tokenExpiresInDays'];

command<ScimAction>(
  ScimCommand,
  {
    create: { needs: ['name'], takes: CONTENT },
    update: { needs: ['id'], takes: ['name', ...CONTENT] },
    rotate_token: { needs: ['id'], takes: ['overlapHours', 'tokenExpiresInDays'] },
    ...connectionLife.transitions,
  },
  { by: 'action', otherwise: 'create', also: repeatedGroups },
);

function repeatedGroups({ groupRoleMap = [] }: Partial<ScimCommand>): Fault[] {
  const keys = groupRoleMap.map(({ group }) => comparisonKey(group));
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index
      ? []
      : [{ at: `/groupRoleMap/${index}/group`, code: 'not_unique', detail: 'The group is already mapped.' }],
  );
}

export const ScimCommandResult = model('ScimCommandResult', {
  ...Object.fromEntries(fieldsOf(scimConfigurations.view)),
  token: {
    kind: text({ max: 200 }),
    description: 'The new token, after `create` and `rotate_token`; shown only once.',
    nullable: true,
  },
  baseUrl: { kind: text({ max: 500 }), description: BASE_URL, example: 'https://api.example.com/api/scim/v2' },
  pendingApproval: {
    kind: nested(PendingApproval),
    description:
      'Request for approval if an update that grants a privileged role is parked and the connection unchanged; null if the update was applied.',
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
      '`suspend_users` suspends the users that it manages; with `none`, the default, they stay and can be managed manually.',
    optional: true,
  })
  deprovision?: 'none' | 'suspend_users';
}

export class DeletedScimConfiguration {
  @Field(id(), { description: 'Id of the configuration.' })
  id!: string;

  @Field(flag(), { description: 'Always true.', example: true })
  deleted!: true;

  @Field(flag(), { description: 'Always true; its next call is refused.', example: true })
  tokenRevoked!: true;

  @Field(integer(COUNT), { description: 'Number of users suspended.', example: 0 })
  usersAffected!: number;
}
