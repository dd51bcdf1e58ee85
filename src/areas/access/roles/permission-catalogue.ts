import { riskOf } from '#libs/auth/permission-risk.js';
import { type Permission, permissionNames, permissionTexts } from '#libs/auth/permissions.js';
import type { ResourceRegistry } from '#libs/resource/resource-registry.js';
import type { PermissionEntry } from './role.requests.js';

/** Areas of permissions whose resource is not a record type; all others belong to administration. */
const AREAS: Record<string, string> = {
  approvals: 'home',
  attachments: 'timeline',
  comments: 'timeline',
  ledger: 'finance',
  links: 'timeline',
  observability: 'observability',
  outbox: 'webhooks',
  'process-intelligence': 'process-intelligence',
  usage: 'developer',
  watchers: 'timeline',
  webhooks: 'webhooks',
};

/** All permissions, by name. */
export function permissionCatalogue(registry: ResourceRegistry): PermissionEntry[] {
  const areas = new Map(registry.all().map(({ permissions, area }) => [resourceOf(permissions.read), area]));
  return [...permissionNames()].sort().map((permission: Permission) => {
    const resource = resourceOf(permission);
    const area = areas.get(resource) ?? AREAS[resource] ?? 'admin';
    return { permission, area, text: permissionTexts()[permission], risk: riskOf(permission) };
  });
}

/** The resource of a permission without the field class: `employees` of `employees.personal:read`. */
function resourceOf(permission: string): string {
  return permission.slice(0, permission.indexOf(':')).split('.')[0]!;
}
