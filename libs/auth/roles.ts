import { type Permission, permissionNames, permissionsOf, plainResources } from './permissions.js';
import type { Reach } from './reach.js';

/** A permission of a role with its reach, written `deals:write@own`; without `@` it reaches the whole tenant. */
export interface RoleGrant {
  permission: Permission;
  reach: Reach;
}

/** Resources besides those of plain types whose permissions managers, members and viewers hold. */
const BUSINESS = [
  'accounts',
  'agents',
  'candidates',
  'contacts',
  'credit-notes',
  'cycles',
  'deals',
  'departments',
  'documents',
  'employees',
  'files',
  'interview-scorecards',
  'interviews',
  'invoices',
  'jobs',
  'leads',
  'milestones',
  'offers',
  'payments',
  'pipelines',
  'project-templates',
  'projects',
  'proposals',
  'task-states',
  'tasks',
  'tax-rates',
  'time-entries',
  'time-off',
] as const;

/** Permissions that only owners hold: they could make all data unreadable, move it or close the tenant. */
export const OWNERS_ONLY: ReadonlySet<string> = new Set<Permission>(['tenant:close']);

/** The system roles. They cannot be edited or deleted. */
export const SYSTEM_ROLES = {
  owner: { intent: 'Everything, ownership transfer, key management, tenant closure' },
  admin: { intent: 'Runs the tenant: people, roles, settings, security, data' },
  manager: { intent: 'Runs a workspace: all business records, approvals, delivery control, reports' },
  member: { intent: 'Daily work: reads in own workspaces, creates, edits own or assigned records' },
  viewer: { intent: 'Reads business records in own workspaces' },
  auditor: { intent: 'Reads what an audit needs; changes nothing except decisions in access reviews' },
  billing: { intent: 'Plan, finance records, payments' },
  developer: { intent: 'API keys, webhooks, outbox, usage, integrations' },
} as const satisfies Record<string, { intent: string }>;

export type SystemRole = keyof typeof SYSTEM_ROLES;

/** The ids of the system roles, the same in every tenant. */
export const SYSTEM_ROLE_IDS: Readonly<Record<SystemRole, string>> = {
  owner: '00000000-0000-7000-8000-000000000001',
  admin: '00000000-0000-7000-8000-000000000002',
  manager: '00000000-0000-7000-8000-000000000003',
  member: '00000000-0000-7000-8000-000000000004',
  viewer: '00000000-0000-7000-8000-000000000005',
  auditor: '00000000-0000-7000-8000-000000000006',
  billing: '00000000-0000-7000-8000-000000000007',
  developer: '00000000-0000-7000-8000-000000000008',
};

/** What members and viewers read of their own only. */
const OWN_READS: ReadonlySet<string> = new Set(['documents:read', 'files:read']);

const BY_ID = new Map(Object.entries(SYSTEM_ROLE_IDS).map(([key, id]) => [id, key as SystemRole]));

/** The system role with an id; null for any other id. */
export function systemRoleOf(id: string): SystemRole | null {
  return BY_ID.get(id) ?? null;
}

const GRANT = /^([a-z*][a-z.*-]*(?::[a-z*-]+)?)(?:@(own|workspace|tenant))?$/;

/** Whether a text is a valid grant of a role: a permission or a wildcard that matches one, with or without a reach. */
export function isRoleGrant(text: string): boolean {
  return parseGrants([text]).length > 0;
}

/** Parses grants such as `deals:write@own` or `*:read` and expands wildcards. Invalid ones are left out. */
export function parseGrants(texts: readonly string[]): RoleGrant[] {
  return texts.flatMap((text) => {
    const [, pattern, reach = 'tenant'] = GRANT.exec(text) ?? [];
    if (pattern === undefined) return [];
    return permissionsOf(pattern).map((permission) => ({
      permission,
      reach: reach as Reach,
    }));
  });
}

/** What the system roles hold, as texts of grants. */
function grantTexts(): Record<SystemRole, readonly string[]> {
  const business = [...BUSINESS, ...plainResources()].sort();
  const reads = business.map((resource) => `${resource}:read`);
  // Files of others can be read where records name them; documents may show more than their readers would see.
  const workspaceReads = reads.map((permission) => `${permission}@${OWN_READS.has(permission) ? 'own' : 'workspace'}`);
  // All permissions on business records, except field permissions.
  const all = permissionNames().filter((permission) => business.includes(permission.slice(0, permission.indexOf(':'))));
  // Deletion is limited to the member's workspaces.
  const runBusiness = all.map((permission) =>
    permission.endsWith(':delete') ? `${permission}@workspace` : permission,
  );
  const ownWrites = all.filter((permission) => permission.endsWith(':write')).map((permission) => `${permission}@own`);
  return {
    owner: ['*'],
    admin: permissionNames().filter((each) => !OWNERS_ONLY.has(each)),
    manager: [
      'access-reviews:decide@own',
      'access-reviews:read@workspace',
      'ai-jobs:*',
      'ai-prompts:write',
      'announcements:write',
      'api-keys:manage@own',
      'audit:read@workspace',
      ...runBusiness,
      'approvals:*',
      'attachments:*',
      'checklists:*',
      'comments:*',
      'delivery:*@workspace',
      'document-templates:*',
      'exports:read',
      'exports:write',
      'imports:run',
      'handoff-templates:manage',
      'handoffs:*',
      'links:*',
      'members:invite@workspace',
      'members:read',
      'reports:*',
      'resource-permissions:*@workspace',
      'roles:read',
      'saved-views:manage',
      'scorecards:read@workspace',
      'sessions:revoke@workspace',
      'talent-mappings:read@workspace',
      'talent-mappings:write@workspace',
      'watchers:*',
      'workspaces:*@workspace',
      'custom-fields:read',
      'ledger:read',
      'onboarding:read',
      'overview:read',
      'process-intelligence:read',
      'settings:read',
      'sla:read',
      'slo:read',
      'tags:manage',
      'usage:read',
    ],
    member: [
      ...workspaceReads,
      ...ownWrites,
      'access-reviews:decide@own',
      'ai-jobs:read',
      'ai-jobs:write',
      'api-keys:manage@own',
      'attachments:write',
      'checklists:read',
      'checklists:write',
      'comments:write',
      'deals:close@own',
      'document-templates:read',
      'exports:read',
      'exports:write',
      'handoffs:read@workspace',
      'handoffs:write@workspace',
      'links:write',
      'members:read@workspace',
      'reports:delete',
      'reports:read',
      'reports:write',
      'sessions:revoke@own',
      'watchers:write',
      'workspaces:read@workspace',
    ],
    viewer: [
      ...workspaceReads,
      'document-templates:read',
      'exports:read',
      'handoffs:read@workspace',
      'members:read@workspace',
      'reports:read',
      'sessions:revoke@own',
      'workspaces:read@workspace',
    ],
    auditor: [
      '*:read',
      'access-reviews:decide@own',
      'ai-jobs:read-all',
      'audit:export',
      'evidence:export',
      'security:assess',
    ],
    billing: [
      'accounts:read',
      'ai-budgets:manage',
      'ai-jobs:read',
      'ai-jobs:read-all',
      'credit-notes:*',
      'document-templates:read',
      'exports:read',
      'exports:write',
      'handoffs:read',
      'invoices:*',
      'ledger:read',
      'members:read',
      'overview:read',
      'payments:*',
      'products:read',
      'reports:read',
      'scorecards:read',
      'settings.finance:manage',
      'settings:read',
      'sla:read',
      'tax-rates:*',
      'usage:read',
    ],
    developer: [
      ...reads,
      'ai-jobs:read',
      'ai-jobs:write',
      'ai-prompts:write',
      'api-keys:manage',
      'audit:read@own',
      'custom-fields:*',
      'document-templates:read',
      'members:read',
      'observability:read',
      'onboarding:read',
      'outbox:*',
      'overview:read',
      'performance:read',
      'roles:read',
      'scim:read',
      'scorecards:read',
      'secrets:*',
      'security:read',
      'settings.developer:manage',
      'settings:read',
      'sla:read',
      'slo:*',
      'usage:read',
      'webhooks:*',
    ],
  };
}

interface Held {
  texts: readonly string[];
  grants: readonly RoleGrant[];
}
const held = new Map<SystemRole, Held>();

function heldBy(role: SystemRole): Held {
  if (held.size === 0)
    for (const [key, texts] of Object.entries(grantTexts()))
      held.set(key as SystemRole, { texts, grants: parseGrants(texts) });
  return held.get(role)!;
}

/** The permissions of a system role, with wildcards expanded. */
export function grantsOf(role: SystemRole): readonly RoleGrant[] {
  return heldBy(role).grants;
}

/** The same as texts, with wildcards. */
export function grantTextsOf(role: SystemRole): readonly string[] {
  return heldBy(role).texts;
}
