import { PERMISSION_NAMES, type Permission, PermissionSet } from './permissions.js';

/** How far a permission of a role reaches: the whole tenant, the member's workspaces, or the member's own records. */
export type Reach = 'tenant' | 'workspace' | 'own';

/** A permission of a role with its reach, written `deals:write@own`; without `@` it reaches the whole tenant. */
export interface RoleGrant {
  permission: Permission;
  reach: Reach;
}

/** Resources of the business areas, whose permissions managers, members and viewers hold. */
const BUSINESS = [
  'accounts',
  'agents',
  'candidates',
  'contacts',
  'credit-notes',
  'deals',
  'departments',
  'employees',
  'interviews',
  'invoices',
  'jobs',
  'leads',
  'milestones',
  'offers',
  'payments',
  'pipelines',
  'products',
  'project-templates',
  'projects',
  'scorecards',
  'tasks',
  'tax-rates',
  'time-entries',
  'time-off',
] as const;

const BUSINESS_READS = BUSINESS.map((resource) => `${resource}:read@workspace`);

/**
 * The system roles. They can be neither edited nor deleted. `Source:` domain document "admin", section 1.
 */
export const SYSTEM_ROLES = {
  owner: { intent: 'Everything, ownership transfer, key management, tenant closure', grants: ['*'] },
  admin: { intent: 'Runs the tenant: people, roles, settings, security, data', grants: ['*'] },
  manager: {
    intent: 'Runs a workspace: all business records, approvals, reports',
    grants: [
      'audit:read@workspace',
      ...BUSINESS.filter((resource) => resource !== 'deals').map((resource) => `${resource}:*`),
      'approvals:*',
      'attachments:*',
      'comments:*',
      'deals:close',
      'deals:read',
      'deals:write',
      'links:*',
      'members:invite@workspace',
      'members:read',
      'resource-permissions:*@workspace',
      'roles:read',
      'sessions:revoke@workspace',
      'watchers:*',
      'workspaces:*@workspace',
      'custom-fields:read',
      'ledger:read',
      'process-intelligence:read',
      'settings:read',
      'usage:read',
    ],
  },
  member: {
    intent: 'Daily work: reads in own workspaces, creates, edits own or assigned records',
    grants: [
      ...BUSINESS_READS,
      'accounts:write@own',
      'attachments:write',
      'candidates:write@own',
      'comments:write',
      'contacts:write@own',
      'deals:close@own',
      'deals:write@own',
      'interviews:write@own',
      'leads:write@own',
      'links:write',
      'members:read@workspace',
      'projects:write@own',
      'scorecards:write@own',
      'tasks:write@own',
      'time-entries:write@own',
      'time-off:write@own',
      'watchers:write',
      'workspaces:read@workspace',
    ],
  },
  viewer: {
    intent: 'Reads business records in own workspaces',
    grants: [...BUSINESS_READS, 'members:read@workspace', 'workspaces:read@workspace'],
  },
  auditor: { intent: 'Reads what an audit needs; changes nothing', grants: ['*:read'] },
  billing: {
    intent: 'Plan, finance records, payments',
    grants: [
      'accounts:read',
      'credit-notes:*',
      'invoices:*',
      'ledger:read',
      'members:read',
      'payments:*',
      'products:read',
      'settings:read',
      'tax-rates:*',
      'usage:read',
    ],
  },
  developer: {
    intent: 'API keys, webhooks, outbox, usage, integrations',
    grants: [
      'accounts:read',
      'audit:read@own',
      'contacts:read',
      'custom-fields:*',
      'deals:read',
      'invoices:read',
      'leads:read',
      'members:read',
      'outbox:*',
      'pipelines:read',
      'products:read',
      'projects:read',
      'roles:read',
      'scim:read',
      'settings:read',
      'tasks:read',
      'usage:read',
      'webhooks:*',
    ],
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
