import { PERMISSION_NAMES, type Permission, PermissionSet } from './permissions.js';

/** How far a permission of a role reaches: the whole tenant, the member's workspaces, or the member's own records. */
export type Reach = 'tenant' | 'workspace' | 'own';

/** A permission of a role with its reach, written `deals:write@own`; without `@` it reaches the whole tenant. */
export interface RoleGrant {
  permission: Permission;
  reach: Reach;
}

/**
 * The system roles. They can be neither edited nor deleted. `Source:` domain document "admin", section 1.
 */
export const SYSTEM_ROLES = {
  owner: { intent: 'Everything, ownership transfer, key management, tenant closure', grants: ['*'] },
  admin: { intent: 'Runs the tenant: people, roles, settings, security, data', grants: ['*'] },
  manager: {
    intent: 'Runs a workspace: all business records, approvals, reports',
    grants: ['audit:read@workspace', 'deals:read', 'deals:write', 'deals:close', 'pipelines:*', 'usage:read'],
  },
  member: {
    intent: 'Daily work: reads in own workspaces, creates, edits own or assigned records',
    grants: ['deals:read@workspace', 'deals:write@own', 'deals:close@own', 'pipelines:read'],
  },
  viewer: { intent: 'Reads business records in own workspaces', grants: ['deals:read@workspace', 'pipelines:read'] },
  auditor: {
    intent: 'Reads what an audit needs; changes nothing',
    grants: ['audit:read', 'deals:read', 'outbox:read', 'pipelines:read', 'usage:read', 'webhooks:read'],
  },
  billing: { intent: 'Plan, finance records, payments', grants: ['usage:read'] },
  developer: {
    intent: 'API keys, webhooks, outbox, usage, integrations',
    grants: ['audit:read@own', 'deals:read', 'outbox:*', 'pipelines:read', 'usage:read', 'webhooks:*'],
  },
} as const satisfies Record<string, { intent: string; grants: readonly string[] }>;

export type SystemRole = keyof typeof SYSTEM_ROLES;

/** The permissions of a system role, wildcards resolved. */
export function grantsOf(role: SystemRole): RoleGrant[] {
  return SYSTEM_ROLES[role].grants.flatMap((grant) => {
    const [pattern = '', reach = 'tenant'] = grant.split('@');
    const covered = new PermissionSet([pattern]);
    return PERMISSION_NAMES.filter((permission) => covered.has(permission)).map((permission) => ({
      permission,
      reach: reach as Reach,
    }));
  });
}
