import type { RiskLevel } from '#libs/audit/audit-entry.js';
import type { Permission } from './permissions.js';
import type { RoleGrant } from './roles.js';

/**
 * Permissions over people, rights and the tenant itself. A holder of one for the whole tenant could escalate their own
 * rights.
 */
const PRIVILEGED: ReadonlySet<string> = new Set<Permission>([
  'members:manage',
  'resource-permissions:manage',
  'roles:manage',
  'scim:manage',
  'secrets:manage',
  'settings:manage',
]);
/** Restricted fields, and actions that cannot be undone or that end the access of others. */
const HIGH: ReadonlySet<string> = new Set<Permission>([
  'api-keys:manage-all',
  'data-exports:request',
  'employees.compensation:read',
  'employees.compensation:write',
  'employees.sensitive:read',
  'exports:approve',
  'invoices:void',
  'invoices:write-off',
  'mfa:manage',
  'payments:refund',
  'sessions:revoke',
  'tenant:close',
  'settings.finance:manage', // includes the bank account that invoices are paid to
]);

/** The risk of a permission in the wrong hands. */
export function riskOf(permission: string): RiskLevel {
  if (PRIVILEGED.has(permission) || HIGH.has(permission)) return 'high';
  const [resource = '', action = ''] = permission.split(':');
  const isRead = action.startsWith('read');
  return (isRead && !resource.includes('.')) || action === 'write' ? 'low' : 'medium';
}

/** The privileged ones among the grants, which allow running the tenant. */
export function privilegesOf(grants: readonly RoleGrant[]): RoleGrant[] {
  return grants.filter(({ permission, reach }) => reach === 'tenant' && PRIVILEGED.has(permission));
}

/** Stands for being an owner, as if it were a permission. */
const OWNING = 'owner';

/**
 * The privileged permissions that rank members: a member who holds all permissions of another one is not below them.
 * Owners hold one more than everyone else.
 */
export function powersOf(holds: (permission: string) => boolean, isOwner: boolean): string[] {
  return isOwner ? [OWNING, ...PRIVILEGED] : [...PRIVILEGED].filter(holds);
}

/** All texts of grants that contain a privileged permission for the whole tenant, such as `roles:*`. */
export const PRIVILEGED_GRANTS: readonly string[] = [
  ...new Set(
    [...PRIVILEGED].flatMap((permission) => {
      const [resource, action] = permission.split(':');
      return ['*', `${resource}:*`, `*:${action}`, permission].flatMap((text) => [text, `${text}@tenant`]);
    }),
  ),
];

/** Whether any of the grants is privileged. */
export function isPrivileged(grants: readonly RoleGrant[]): boolean {
  return privilegesOf(grants).length > 0;
}
