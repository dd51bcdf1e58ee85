import { constant, Field, flag, id, instant, integer, listOf, name, nested, oneOf, text } from '#libs/http/field.js';
import { PendingApproval } from '#libs/resource/approval.dto.js';
import { asksForNames } from '#libs/resource/named-list.js';
import { PageQuery } from '#libs/resource/page-query.js';
import { PageInfo } from '#libs/resource/record.dto.js';
import { PRESET_NAMES, type Preset } from './role-presets.js';

/** Type key of a role; also the beginning of its event types. */
export const ROLE_TYPE = 'core.role';
/** Roles that a tenant can have, those of the system included. */
export const MAX_ROLES = 200;

const COUNT = { min: 0, max: 2_147_483_647 };
const permissions = (min = 0) => listOf(text({ min: 1, max: 100 }), { min, max: 500, unique: true });
const description = () => text({ min: 1, max: 1_000, pattern: /\S/ });

/** What some members may do. */
export class RoleView {
  @Field(id(), { description: 'Id of the role.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b70' })
  id!: string;

  @Field(constant(ROLE_TYPE), { description: 'Type of the record.', example: ROLE_TYPE })
  object!: string;

  @Field(text({ max: 60 }), { description: 'Stable name for programs.', example: 'sales' })
  key!: string;

  @Field(name(), { description: 'Name for people.', example: 'Sales' })
  name!: string;

  @Field(text({ max: 1_000 }), { description: 'What it is for.', nullable: true, example: 'Sells' })
  description!: string | null;

  @Field(permissions(), {
    description:
      'What it allows: permissions with their reach. `@own` is what belongs or is assigned to the member, `@workspace` what is in their workspaces, without either the whole tenant. Null in lists, unless `include=permissions` asks for it.',
    example: ['deals:read', 'deals:write@own'],
    nullable: true,
  })
  permissions!: readonly string[] | null;

  @Field(flag(), { description: 'Whether it is one of the system, which nobody changes.', example: false })
  isSystem!: boolean;

  @Field(flag(), {
    description: 'Whether who has it runs the tenant: giving or taking it is a protected operation.',
    example: false,
  })
  isPrivileged!: boolean;

  @Field(integer(COUNT), { description: 'Members who have it.', example: 4 })
  memberCount!: number;

  @Field(integer({ min: 1, max: 2_147_483_647 }), {
    description: 'Rises by one with each change; also the ETag.',
    example: 1,
  })
  version!: number;

  @Field(instant(), { description: 'When it was made; null for one of the system.', nullable: true })
  createdAt!: string | null;

  @Field(instant(), { description: 'When it last changed; null for one of the system.', nullable: true })
  updatedAt!: string | null;
}

export class CreateRole {
  @Field(name(), { description: 'Name, once in the tenant.', example: 'Sales' })
  name!: string;

  @Field(description(), { description: 'What it is for.', example: 'Sells', optional: true, nullable: true })
  description?: string | null;

  @Field(permissions(1), {
    description: 'What it allows, such as `deals:read`, `deals:write@own`, `contacts:*@workspace`. Or name a preset.',
    example: ['deals:read', 'deals:write@own'],
    optional: true,
  })
  permissions?: string[];

  @Field(oneOf(PRESET_NAMES), {
    description: 'Permissions that usually go together, to be edited later; in place of `permissions`.',
    example: 'sales',
    optional: true,
  })
  preset?: Preset;
}

export class UpdateRole {
  @Field(name(), { description: 'Name, once in the tenant.', example: 'Sales', optional: true })
  name?: string;

  @Field(description(), { description: 'What it is for.', optional: true, nullable: true })
  description?: string | null;

  @Field(permissions(1), {
    description: 'All that it allows from now on.',
    example: ['deals:read', 'deals:write'],
    optional: true,
  })
  permissions?: string[];

  @Field(permissions(1), {
    description: 'What it allows in addition; not with `permissions`.',
    example: ['deals:close'],
    optional: true,
  })
  add?: string[];

  @Field(permissions(1), {
    description: 'What it no longer allows, as it stands in the role; not with `permissions`.',
    example: ['deals:write@own'],
    optional: true,
  })
  remove?: string[];
}

/** What the creation of a role answers that has to wait for approval: there is no role yet. */
export class RolePending {
  @Field(nested(PendingApproval), { description: 'The request for approval.' })
  pendingApproval!: PendingApproval;
}

export class ChangedRole extends RoleView {
  @Field(integer(COUNT), { description: 'Members for whom it changes.', example: 4 })
  affectedMembers!: number;

  @Field(nested(PendingApproval), {
    description: 'The request for approval that the change waits for: the role is as it was. Null if it is done.',
    nullable: true,
  })
  pendingApproval!: PendingApproval | null;
}

export class DeletedRole {
  @Field(id(), { description: 'Id of the role.' })
  id!: string;

  @Field(flag(), { description: 'False while it waits for approval.', example: true })
  deleted!: boolean;

  @Field(integer(COUNT), { description: 'Members who have the replacement now.', example: 4 })
  reassigned!: number;

  @Field(nested(PendingApproval), {
    description: 'The request for approval that it waits for: the role is as it was. Null if it is done.',
    nullable: true,
    example: null,
  })
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

  @Field(text({ max: 200 }), { description: 'What it allows.', example: 'Create and edit deals' })
  text!: string;

  @Field(oneOf(['low', 'medium', 'high']), {
    description: 'How much harm it can do in the wrong hands.',
    example: 'low',
  })
  risk!: string;
}

export class RolePage {
  @Field(listOf(nested(RoleView), { max: MAX_ROLES }), {
    description: 'The roles of this page: first those of the system, then the tenant’s own by name.',
  })
  data!: RoleView[];

  @Field(nested(PageInfo), { description: 'How to go on.' })
  page!: PageInfo;

  @Field(listOf(nested(PermissionEntry), { max: 1_000 }), {
    description: 'All permissions by name, with `include=catalogue`; null otherwise.',
    nullable: true,
  })
  catalogue!: PermissionEntry[] | null;
}
