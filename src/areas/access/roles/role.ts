import { Column } from 'typeorm';
import { ALPHABET } from '#libs/database/alphabet.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { flag, instant, integer, listOf, name, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, Mapped, ReadOnly, WriteOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { PRESET_NAMES, type Preset } from './role-presets.js';

/** Maximum number of roles per tenant, including system roles. */
export const MAX_ROLES = 200;

/** A list of permissions in requests and responses. */
export const permissionList = (min = 0) => listOf(text({ min: 1, max: 100 }), { min, max: 500, unique: true });

/** A custom role: a set of permissions for members. */
export class Role extends VersionedRow {
  @ReadOnly(text({ max: 60 }), 'Stable key for programs.', { example: 'sales' })
  key!: string;

  @Mapped(name(), 'Display name, unique in the tenant.', { example: 'Sales' })
  @Column({ type: 'text', collation: ALPHABET })
  name!: string;

  @Attribute(text({ max: 1_000 }), 'Purpose of the role.', {
    given: text({ min: 1, max: 1_000, pattern: /\S/ }),
    example: 'Sells',
    nullable: true,
  })
  description!: string | null;

  @Mapped(
    permissionList(),
    'Permissions with their reach, such as `deals:read`, `deals:write@own`, `contacts:*@workspace`. `@own` covers records that the member owns or is assigned, `@workspace` those in the member’s workspaces; without a suffix, the whole tenant. A patch replaces all of them. Null in lists without `include=permissions`.',
    { given: permissionList(1), example: ['deals:read', 'deals:write@own'], nullable: 'shown', optional: true },
  )
  @Column('text', { array: true })
  permissions!: string[];

  @WriteOnly(
    oneOf(PRESET_NAMES),
    'Predefined set of permissions, used instead of `permissions`; can be edited later.',
    { example: 'sales', once: true },
  )
  preset?: Preset;

  @Derived(flag(), 'True for a system role, which cannot be changed.', { example: false })
  isSystem?: boolean;

  @Derived(flag(), 'True if the role has privileged permissions; granting or revoking it is a protected operation.', {
    example: false,
  })
  isPrivileged?: boolean;

  @Derived(integer({ min: 0, max: 2_147_483_647 }), 'Number of members with the role.', { example: 4 })
  memberCount?: number;

  @Derived(instant(), 'Time of creation; null for a system role.', {
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
  })
  override createdAt!: string;

  @Derived(instant(), 'Time of the last change; null for a system role.', {
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
  })
  override updatedAt!: string;
}

/** Fields that are null for some roles. */
type Partly = 'permissions' | 'createdAt' | 'updatedAt';

/** The representation of a custom or system role in the API. */
export type RoleView = Omit<ShownObject<Role>, Partly> & {
  permissions: readonly string[] | null;
  createdAt: string | null;
  updatedAt: string | null;
};

export const roles = governedType(Role, {
  type: 'core.role',
  noun: 'role',
  table: 'data.roles',
  path: '/api/admin/roles',
  risk: 'high',
  limit: { max: MAX_ROLES, detail: `A tenant has at most ${MAX_ROLES} roles.` },
  without: ['createdAt', 'updatedAt'],
  events: {
    created: 'A role was created.',
    updated: 'A role was changed, which changes the rights of its members.',
    deleted: 'A role was deleted. Its members received the replacement, if one was given.',
  },
});
