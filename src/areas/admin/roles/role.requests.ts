import { addFields, Field, fieldsOf, flag, id, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { PendingApproval } from '#libs/resource/gates/approval.dto.js';
import { asksForNames } from '#libs/resource/lists/named-list.js';
import { PageQuery } from '#libs/resource/lists/page-query.js';
import { model, PageInfo } from '#libs/resource/types/record.dto.js';
import { permissionList, type Role, roles, type RoleView } from './role.js';

/** Roles that a tenant can have, those of the system included. */
export const MAX_ROLES = 200;

const COUNT = { min: 0, max: 2_147_483_647 };
const PENDING = 'Request for approval that the change waits for, while the role stays as it was; null if it is done.';

/** A new role as callers send it. */
export type NewRole = Pick<Role, 'name'> & Partial<Pick<Role, 'description' | 'permissions' | 'preset'>>;

/** Changes of a role as callers send them. */
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
      description: 'Permissions to take away, as they stand in the role; not with `permissions`.',
      example: ['deals:write@own'],
      optional: true,
    },
  ],
]);

/** What the creation of a role answers that has to wait for approval: there is no role yet. */
export class RolePending {
  @Field(nested(PendingApproval), { description: 'The request for approval.' })
  pendingApproval!: PendingApproval;
}

export const ChangedRole = model('ChangedRole', {
  ...Object.fromEntries(fieldsOf(roles.view)),
  affectedMembers: { kind: integer(COUNT), description: 'Number of members for whom it changes.', example: 4 },
  pendingApproval: { kind: nested(PendingApproval), description: PENDING, nullable: true },
});
export type ChangedRole = RoleView & { affectedMembers: number; pendingApproval: PendingApproval | null };

export class DeletedRole {
  @Field(id(), { description: 'Id of the role.' })
  id!: string;

  @Field(flag(), { description: 'False while it waits for approval.', example: true })
  deleted!: boolean;

  @Field(integer(COUNT), { description: 'Number of members who have the replacement now.', example: 4 })
  reassigned!: number;

  @Field(nested(PendingApproval), { description: PENDING, nullable: true, example: null })
  pendingApproval!: PendingApproval | null;
}

export class DeleteRoleQuery {
  @Field(id(), {
    description: 'Role that everybody gets who has this one; without it a role in use stays.',
    optional: true,
  })
  replacementRoleId?: string;
}

export class RoleQuery extends PageQuery {
  @Field(listOf(oneOf(['permissions', 'catalogue']), { min: 1, max: 2, unique: true }), {
    description: '`permissions`: what each role allows; `catalogue`: all permissions that there are.',
    optional: true,
  })
  include?: ('permissions' | 'catalogue')[];

  @Field(text({ min: 1, max: 200 }), { description: 'Only roles with this text in their names.', optional: true })
  q?: string;
}
asksForNames(RoleQuery, 'those of the system first, then by name');

/** A permission that roles and keys can hold. */
export class PermissionEntry {
  @Field(text({ max: 100 }), { description: 'Its name.', example: 'deals:write' })
  permission!: string;

  @Field(text({ max: 60 }), { description: 'Area that it is about.', example: 'sales' })
  area!: string;

  @Field(text({ max: 200 }), { description: 'Actions that it allows, in words.', example: 'Create and edit deals' })
  text!: string;

  @Field(oneOf(['low', 'medium', 'high']), {
    description: 'How much harm it can do in the wrong hands.',
    example: 'low',
  })
  risk!: string;
}

export class RolePage {
  @Field(listOf(nested(roles.view), { max: MAX_ROLES }), {
    description: 'The roles of this page: first those of the system, then the tenant’s own by name.',
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
