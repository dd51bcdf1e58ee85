import { addFields, Field, fieldsOf, flag, id, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { model, PageInfo } from '#libs/resource/types/record.dto.js';
import { MAX_ROLES, permissionList, type Role, roles, type RoleView } from './role.js';

const COUNT = { min: 0, max: 2_147_483_647 };
const PENDING = 'Request for approval if the change is parked and the role unchanged; null if the change was applied.';

/** A new role as sent by callers. */
export type NewRole = Pick<Role, 'name'> & Partial<Pick<Role, 'description' | 'permissions' | 'preset'>>;

/** Changes of a role as sent by callers. */
export type RolePatch = Partial<Pick<Role, 'name' | 'description' | 'permissions'>> & {
  add?: string[];
  remove?: string[];
};

addFields(roles.update, [
  [
    'add',
    {
      kind: permissionList(1),
      description: 'Permissions to add; not with `permissions`.',
      example: ['deals:close'],
      optional: true,
    },
  ],
  [
    'remove',
    {
      kind: permissionList(1),
      description: 'Permissions to remove, exactly as listed in the role; not with `permissions`.',
      example: ['deals:write@own'],
      optional: true,
    },
  ],
]);

/** The response when the creation of a role is parked for approval. The role does not exist yet. */
export class RolePending {
  @Field(nested(PendingApproval), { description: 'The request for approval.' })
  pendingApproval!: PendingApproval;
}

export const ChangedRole = model('ChangedRole', {
  ...Object.fromEntries(fieldsOf(roles.view)),
  affectedMembers: { kind: integer(COUNT), description: 'Number of members affected by the change.', example: 4 },
  pendingApproval: { kind: nested(PendingApproval), description: PENDING, nullable: true },
});
export type ChangedRole = RoleView & { affectedMembers: number; pendingApproval: PendingApproval | null };

export class DeletedRole {
  @Field(id(), { description: 'Id of the role.' })
  id!: string;

  @Field(flag(), { description: 'False while the deletion waits for approval.', example: true })
  deleted!: boolean;

  @Field(integer(COUNT), { description: 'Number of members who received the replacement.', example: 4 })
  reassigned!: number;

  @Field(nested(PendingApproval), { description: PENDING, nullable: true, example: null })
  pendingApproval!: PendingApproval | null;
}

export class DeleteRoleQuery {
  @Field(id(), {
    description: 'Role that replaces this one everywhere. Required if the role is in use.',
    optional: true,
  })
  replacementRoleId?: string;
}

export class RoleQuery extends PageQuery {
  @Field(listOf(oneOf(['permissions', 'catalogue']), { min: 1, max: 2, unique: true }), {
    description:
      '`permissions` includes the permissions of each role; `catalogue` includes the list of all permissions.',
    optional: true,
  })
  include?: ('permissions' | 'catalogue')[];

  @Field(text({ min: 1, max: 200 }), { description: 'Only roles with this text in their names.', optional: true })
  q?: string;
}
asksForNames(RoleQuery, 'system roles first, then by name');

/** A permission that roles and keys can hold. */
export class PermissionEntry {
  @Field(text({ max: 100 }), { description: 'Name of the permission.', example: 'deals:write' })
  permission!: string;

  @Field(text({ max: 60 }), { description: 'Area that it belongs to.', example: 'sales' })
  area!: string;

  @Field(text({ max: 200 }), { description: 'Allowed actions in words.', example: 'Create and edit deals' })
  text!: string;

  @Field(oneOf(['low', 'medium', 'high']), {
    description: 'Risk of misuse.',
    example: 'low',
  })
  risk!: string;
}

export class RolePage {
  @Field(listOf(nested(roles.view), { max: MAX_ROLES }), {
    description: 'The roles of this page: system roles first, then custom roles by name.',
  })
  data!: RoleView[];

  @Field(nested(PageInfo), { description: 'Paging information.' })
  page!: PageInfo;

  @Field(listOf(nested(PermissionEntry), { max: 1_000 }), {
    description: 'All permissions by name, with `include=catalogue`; null otherwise.',
    nullable: true,
  })
  catalogue!: PermissionEntry[] | null;
}
