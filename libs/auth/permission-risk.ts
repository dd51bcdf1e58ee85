import type { RiskLevel } from '#libs/audit/audit-entry.js';
import type { Permission } from './permissions.js';
import type { RoleGrant } from './roles.js';

/** Permissions over people, rights and the tenant itself: who holds one for the whole tenant could give themselves more. */
const PRIVILEGED: ReadonlySet<string> = new Set<Permission>([
  'members:manage',
  'resource-permissions:manage',
  'roles:manage',
  'scim:manage',
  'secrets:manage',
  'settings:manage',
]);
/** Fields that few may see or set, and actions that cannot be taken back or that end the access of others. */
const HIGH: ReadonlySet<string> = new Set<Permission>([
  'api-keys:manage-all',
  'employees.compensation:read',
  'employees.compensation:write',
  'employees.sensitive:read',
  'invoices:void',
  'invoices:write-off',
  'mfa:manage',
  'payments:refund',
  'sessions:revoke',
  'tenant:close',
  'settings.finance:manage', // whose account invoices are paid to
]);

/** How much harm a permission can do in the wrong hands. */
export function riskOf(permission: string): RiskLevel {
  if (PRIVILEGED.has(permission) || HIGH.has(permission)) return 'high';
  const [resource = '', action = ''] = permission.split(':');
  const isRead = action.startsWith('read');
  return (isRead && !resource.includes('.')) || action === 'write' ? 'low' : 'medium';
}

/** Those of the permissions with which somebody runs the tenant, and does not only work in it. */
export function privilegesOf(grants: readonly RoleGrant[]): RoleGrant[] {
  return grants.filter(({ permission, reach }) => reach === 'tenant' && PRIVILEGED.has(permission));
}

/** In the place of a permission: whoever has it is an owner, whom nobody else is above. */
const OWNING = 'owner';

/**
 * What puts somebody above others: what they run the tenant with, and being an owner. Who holds all of what another does
 * is not below them.
 */
export function powersOf(holds: (permission: string) => boolean, isOwner: boolean): string[] {
  return isOwner ? [OWNING, ...PRIVILEGED] : [...PRIVILEGED].filter(holds);
}

/** Whether somebody with these permissions runs the tenant. */
export function isPrivileged(grants: readonly RoleGrant[]): boolean {
  return privilegesOf(grants).length > 0;
}
