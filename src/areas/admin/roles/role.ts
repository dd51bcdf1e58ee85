import { Column } from 'typeorm';
import { ALPHABET } from '#libs/database/alphabet.js';
import { VersionedRow } from '#libs/database/tenant-row.js';
import { flag, instant, integer, listOf, name, oneOf, text } from '#libs/http/field.js';
import { Attribute, Derived, Mapped, ReadOnly, WriteOnly } from '#libs/resource/types/attribute.js';
import { governedType, type ShownObject } from '#libs/resource/types/governed-type.js';
import { PRESET_NAMES, type Preset } from './role-presets.js';

/** Permissions as bodies and answers list them. */
export const permissionList = (min = 0) => listOf(text({ min: 1, max: 100 }), { min, max: 500, unique: true });

/** A role of the tenant's own: permissions that members get together. */
export class Role extends VersionedRow {
  @ReadOnly(text({ max: 60 }), 'Stable name for programs.', { example: 'sales' })
  key!: string;

  @Mapped(name(), 'Name for people, unique in the tenant.', { example: 'Sales' })
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
    'Permissions with their reach, such as `deals:read`, `deals:write@own`, `contacts:*@workspace`: `@own` is what belongs or is assigned to the member, `@workspace` what is in their workspaces, without either the whole tenant. A patch replaces all of them. Null in lists, unless `include=permissions` asks for it.',
    { given: permissionList(1), example: ['deals:read', 'deals:write@own'], nullable: 'shown', optional: true },
  )
  @Column('text', { array: true })
  permissions!: string[];

  @WriteOnly(
    oneOf(PRESET_NAMES),
    'Permissions that usually go together, to be edited later; in place of `permissions`.',
    { example: 'sales', once: true },
  )
  preset?: Preset;

  @Derived(flag(), 'True for a role of the system, which nobody changes.', { example: false })
  isSystem?: boolean;

  @Derived(flag(), 'True if its members run the tenant: giving or taking it is a protected operation.', {
    example: false,
  })
  isPrivileged?: boolean;

  @Derived(integer({ min: 0, max: 2_147_483_647 }), 'Number of members with the role.', { example: 4 })
  memberCount?: number;

  @Derived(instant(), 'Time of creation; null for a role of the system.', {
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
  })
  override createdAt!: string;

  @Derived(instant(), 'Time of the last change; null for a role of the system.', {
    example: '2026-11-21T09:15:02.114Z',
    nullable: true,
  })
  override updatedAt!: string;
}

/** Type of the instants and permissions that not every role shows. */
type Partly = 'permissions' | 'createdAt' | 'updatedAt';

/** A role, also one of the system, as the API shows it. */
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
  without: ['createdAt', 'updatedAt'],
  events: {
    created: 'A role was made.',
    updated: 'A role changed, and with it what its members may do.',
    deleted: 'A role was deleted. Members who had it have its replacement, if there is one.',
  },
});
