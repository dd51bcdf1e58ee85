import { isPrivileged } from '#libs/auth/permission-risk.js';
import { parseGrants, SYSTEM_ROLES, type SystemRole } from '#libs/auth/roles.js';
import type { Role as KnownRole } from '#libs/members/role-book.js';
import { type Role, roles, type RoleView } from './role.js';

/** The representation of a custom role in the API and events. */
export function showRole(row: Role, memberCount: number): Role & { object: string } {
  const figures = { isSystem: false, isPrivileged: isPrivileged(parseGrants(row.permissions)), memberCount };
  return { ...row, object: roles.type, ...figures };
}

/** The representation of a system role in the API. */
export function showSystemRole({ id, key, name, grants, isPrivileged }: KnownRole, memberCount: number): RoleView {
  const permissions = grants.map(({ permission, reach }) =>
    reach === 'tenant' ? permission : `${permission}@${reach}`,
  );
  return {
    id,
    object: roles.type,
    key,
    name,
    description: SYSTEM_ROLES[key as SystemRole].intent,
    permissions,
    isSystem: true,
    isPrivileged,
    memberCount,
    version: 1,
    createdAt: null,
    updatedAt: null,
  };
}
