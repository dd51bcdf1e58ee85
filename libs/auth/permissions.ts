import type { Reach, Rights } from './reach.js';

/**
 * Resources of plain types, which are deleted, read and written. Each type adds its own beside its declaration, and
 * `resource` in the manifest of its area.
 */
export interface PlainResources {}

/** A permission as `resource:action`, which is also the scope of an API key. Routes can only require these. */
export type Permission =
  keyof typeof BESIDES_PLAIN | `${Extract<keyof PlainResources, string>}:${'delete' | 'read' | 'write'}`;

/** Permissions besides those of plain types. */
const BESIDES_PLAIN = {
  'access-reviews:decide': 'Decide the items of access reviews; with a limited reach, only assigned ones',
  'access-reviews:manage': 'Create, start, complete and cancel access reviews',
  'access-reviews:read': 'Read access reviews; with a limited reach, only assigned items',
  'accounts:delete': 'Delete and restore accounts',
  'accounts:read': 'Read accounts',
  'accounts:write': 'Create and edit accounts',
  'agents:activate': 'Activate and pause AI agents',
  'agents:delete': 'Delete and restore AI agents',
  'agents:read': 'Read AI agents',
  'agents:write': 'Create and edit AI agents',
  'ai-budgets:manage': 'Create, change and delete AI budgets',
  'ai-jobs:approve': 'Approve, reject and review AI jobs',
  'ai-jobs:manage': 'Cancel AI jobs of others, pause and resume AI work',
  'ai-jobs:read': 'Read own AI jobs, models and prompts',
  'ai-jobs:read-all': 'Read all AI jobs, usage and budgets',
  'ai-jobs:write': 'Create AI jobs, retry them and rate their results',
  'ai-policy:manage': 'Change the AI policy, providers and models',
  'ai-prompts:write': 'Create prompts and their versions, move labels',
  'announcements:write': 'Create and delete announcements, and read those of all workspaces',
  'api-keys:manage': 'Create and manage own API keys; for the whole tenant, service keys too',
  'api-keys:manage-all': 'Read, restrict and revoke all API keys, and create keys that never expire',
  'approvals:decide': 'Approve and reject pending approval requests',
  'approvals:manage': 'Cancel approval requests of others',
  'approvals:read': 'Read approval requests of others',
  'attachments:write': 'Attach files to records',
  'audit:export': 'Export the audit log with its proofs',
  'audit:read': 'Read the audit log',
  'candidates.personal:read': 'Read the personal fields of candidates',
  'candidates:delete': 'Delete and restore candidates',
  'candidates:hire': 'Hire candidates',
  'candidates:hire-without-offer': 'Hire candidates who have not accepted an offer',
  'candidates:read': 'Read candidates',
  'candidates:write': 'Create and edit candidates',
  'checklists:manage': 'Skip required items of checklists, and delete checklists',
  'checklists:read': 'Read the templates of checklists',
  'checklists:write': 'Start checklists and work on their items',
  'comments:manage': 'Delete the comments of others',
  'comments:write': 'Comment on records',
  'contacts:delete': 'Delete and restore contacts',
  'contacts:read': 'Read contacts',
  'contacts:write': 'Create and edit contacts',
  'credit-notes:read': 'Read credit notes',
  'credit-notes:write': 'Create and edit credit notes',
  'custom-fields:manage': 'Define custom fields',
  'custom-fields:read': 'Read the definitions of custom fields',
  'cycles:delete': 'Delete and restore cycles',
  'cycles:read': 'Read cycles',
  'cycles:write': 'Create, edit, start and close cycles',
  'data-exports:request': 'Request exports of data, search for persons in it, and download own exports',
  'deals:close': 'Win, lose and reopen deals',
  'deals:delete': 'Delete and restore deals',
  'deals:read': 'Read deals',
  'deals:write': 'Create and edit deals',
  'delivery:manage': 'Act on customer projects in delivery control',
  'delivery:read': 'Read the customer projects in delivery control',
  'departments:manage': 'Create, change and archive departments',
  'departments:read': 'Read departments',
  'document-templates:read': 'Read the templates of documents and mails',
  'document-templates:write': 'Create, change, publish and delete templates of documents and mails',
  'documents:delete': 'Delete and restore documents',
  'documents:finalize': 'Make documents final and void them',
  'documents:read': 'Read documents that were made from templates',
  'documents:write': 'Make documents from templates',
  'employees.compensation:read': 'Read the pay of employees',
  'employees.compensation:write': 'Change the pay of employees',
  'employees.personal:read': 'Read the personal fields of employees',
  'employees.sensitive:read': 'Read national ids and bank accounts of employees',
  'employees:delete': 'Delete and restore the directory of employees',
  'employees:manage': 'Suspend, off-board, terminate and rehire employees',
  'employees:read': 'Read the directory of employees',
  'employees:write': 'Create, edit and activate employees',
  'files.confidential:read': 'Read confidential files of others',
  'files:delete': 'Delete and restore files',
  'files:read': 'Read files',
  'files:write': 'Upload and change files',
  'evidence:export': 'Export compliance evidence and read stored bundles',
  'exports:approve': 'Approve and manage requested exports of data',
  'exports:read': 'Read and download your own exports of lists',
  'exports:write': 'Export lists that you may read, also on a schedule',
  'imports:run': 'Import records of types that you may write, and roll your imports back',
  'handoff-templates:manage': 'Create, change and delete the templates of handoffs',
  'handoffs:accept': 'Accept and return handoffs',
  'handoffs:read': 'Read handoffs of deals and their templates',
  'handoffs:write': 'Create, change, submit and cancel handoffs',
  'interview-scorecards:read': 'Read the scorecards of interviews',
  'interview-scorecards:read-all': 'Read all scorecards of interviews before having submitted one',
  'interview-scorecards:write': 'Create and edit the scorecards of interviews',
  'interviews:delete': 'Delete and restore interviews',
  'interviews:read': 'Read interviews',
  'interviews:write': 'Create and edit interviews',
  'invoices:delete': 'Delete and restore invoices',
  'invoices:issue': 'Issue invoices',
  'invoices:read': 'Read invoices',
  'invoices:send': 'Send invoices and credit notes to customers, and share invoices by links',
  'invoices:void': 'Void invoices',
  'invoices:write': 'Create and edit invoices',
  'invoices:write-off': 'Write invoices off',
  'jobs:manage': 'Open, hold, close and cancel jobs',
  'jobs:read': 'Read jobs',
  'jobs:write': 'Create and edit jobs',
  'leads:delete': 'Delete and restore leads',
  'leads:read': 'Read leads',
  'leads:write': 'Create and edit leads',
  'ledger:read': 'Read the ledger, the trial balance and the aging of receivables',
  'legal-holds:manage': 'Place and release legal holds',
  'links:write': 'Link records',
  'maintenance-windows:manage': 'Read and announce maintenance of the tenant',
  'members:invite': 'Invite people and manage their invitations',
  'members:manage': 'Change the roles, workspaces and status of members',
  'members:read': 'Read the members of the tenant',
  'mfa:manage': 'Change the requirements for sign-ins',
  'milestones:delete': 'Delete and restore milestones',
  'milestones:read': 'Read milestones',
  'milestones:write': 'Create and edit milestones',
  'observability:read': 'Read which API requests the tenant sends, and how they are answered',
  'offers:approve': 'Approve offers',
  'offers:read': 'Read offers',
  'offers:send': 'Mark offers as sent',
  'offers:write': 'Create and edit offers',
  'onboarding:manage': 'Skip, reset and confirm steps of the onboarding, dismiss and restart it, load sample data',
  'onboarding:read': 'Read the onboarding of the tenant',
  'outbox:manage': 'Replay and skip deliveries',
  'outbox:read': 'Read the deliveries of events',
  'overview:read': 'Read the overview of the tenant',
  'payments:read': 'Read payments',
  'payments:refund': 'Record refunds of payments',
  'payments:write': 'Create and edit payments',
  'performance:read': 'Read the measured performance of the service',
  'pipelines:manage': 'Create, change and delete pipelines',
  'pipelines:read': 'Read pipelines',
  'process-intelligence:read': 'Read how long records stay in their states',
  'project-templates:manage': 'Create, change and publish project templates',
  'project-templates:read': 'Read project templates',
  'projects:delete': 'Delete and restore projects',
  'projects:manage': 'Hold, complete, cancel and reopen projects, and see private ones',
  'projects:read': 'Read projects',
  'projects:write': 'Create and edit projects',
  'proposals:approve': 'Approve proposals',
  'proposals:delete': 'Delete and restore proposals',
  'proposals:read': 'Read proposals',
  'proposals:send': 'Send proposals to customers, share them by links, and record that they were accepted',
  'proposals:write': 'Create, edit, revise and withdraw proposals',
  'reports:delete': 'Delete your own reports',
  'reports:manage': 'Share reports beyond your own workspaces, and change shared reports of others',
  'reports:read': 'Run reports, and read stored ones',
  'reports:write': 'Store, change and schedule your own reports',
  'resource-permissions:manage': 'Grant and revoke exceptions for single records',
  'resource-permissions:read': 'Read and explain exceptions for single records',
  'retention:manage': 'Change retention policies and run them',
  'retention:read': 'Read retention policies, their runs and legal holds',
  'roles:manage': 'Create, change and delete roles',
  'roles:read': 'Read roles and their permissions',
  'saved-views:manage': 'Share views beyond your own workspaces, and change shared views of others',
  'scim:manage': 'Connect identity providers and rotate their tokens',
  'scim:read': 'Read the connections to identity providers',
  'scorecards:read': 'Read the key figures of the company',
  'secrets:manage': 'Store, rotate and destroy secrets',
  'secrets:read': 'Read the names of secrets',
  'security:assess': 'Run the security checks of the tenant',
  'security:manage': 'Change security checks: exceptions, owners, severities, thresholds',
  'security:read': 'Read the results of the security checks',
  'sessions:revoke': 'End the sessions of members',
  'settings.developer:manage': 'Change the settings for developers',
  'settings.finance:manage': 'Change the settings of finance',
  'settings:manage': 'Change all settings of the tenant',
  'settings:read': 'Read the settings of the tenant',
  'sla:read': 'Read the service-level report',
  'slo:manage': 'Change and recount service-level objectives',
  'slo:read': 'Read service-level objectives and their error budgets',
  'tags:manage': 'Create, rename, merge and archive tags',
  'talent-mapping-templates:manage': 'Create, change and delete templates of talent mappings',
  'talent-mappings:apply': 'Apply talent mappings, and cancel those that have begun',
  'talent-mappings:read': 'Read talent mappings',
  'talent-mappings:write': 'Create and edit talent mappings',
  'task-states:manage': 'Create, change and retire task states',
  'task-states:read': 'Read task states',
  'tasks:delete': 'Delete and restore tasks',
  'tasks:read': 'Read tasks',
  'tasks:write': 'Create and edit tasks',
  'tax-rates:manage': 'Create, change and archive tax rates',
  'tax-rates:read': 'Read tax rates',
  'tenant:close': 'Close the tenant and cancel a closure',
  'time-entries:approve': 'Approve and reject time entries',
  'time-entries:delete': 'Delete and restore time entries',
  'time-entries:read': 'Read time entries',
  'time-entries:write': 'Create and edit time entries',
  'time-off:approve': 'Approve and reject time off',
  'time-off:manage': 'Manage policies and balances of time off',
  'time-off:read': 'Read time off',
  'time-off:write': 'Create and edit time off',
  'usage:read': 'Read the usage of the API and its limits',
  'usage:read-all': 'Read the usage of all API keys and routes',
  'watchers:write': 'Watch records',
  'webhooks:read': 'Read webhook endpoints, their deliveries and all events',
  'webhooks:write': 'Create, change, test and delete webhook endpoints',
  'workspaces:manage': 'Create, change and archive workspaces and manage their members',
  'workspaces:read': 'Read workspaces and their members',
} as const satisfies Record<string, string>;

interface Declared {
  texts: Readonly<Record<Permission, string>>;
  names: readonly Permission[];
  plain: readonly string[];
}
let declared: Declared | null = null;

/** Declares the resources of all plain types. `src/areas/areas.ts` does, before code of an area is loaded. */
export function declarePlainResources(plain: readonly string[]): void {
  const entries = [...Object.entries(BESIDES_PLAIN), ...plain.flatMap(plainEntries)];
  const texts = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) as Record<Permission, string>;
  declared = { texts, names: Object.keys(texts) as Permission[], plain };
}

function plainEntries(resource: string): [string, string][] {
  const words = resource.replaceAll('-', ' ');
  return [
    [`${resource}:delete`, `Delete and restore ${words}`],
    [`${resource}:read`, `Read ${words}`],
    [`${resource}:write`, `Create and edit ${words}`],
  ];
}

/** @throws Error if the areas are not loaded yet: their permissions would be missing. */
function declaredOnes(): Declared {
  if (!declared) throw new Error('Permissions are known once src/areas/areas.ts is loaded.');
  return declared;
}

/** What each permission allows, by name. */
export function permissionTexts(): Readonly<Record<Permission, string>> {
  return declaredOnes().texts;
}

/** All permissions of the platform, sorted. */
export function permissionNames(): readonly Permission[] {
  return declaredOnes().names;
}

/** The resources of all plain types. */
export function plainResources(): readonly string[] {
  return declaredOnes().plain;
}

/** Whether the text can be a scope: a permission, `resource:*`, `*:action` or `*`. */
export function isScope(text: string): boolean {
  return permissionsOf(text).length > 0;
}

/** The permissions that a scope covers: itself, or all that match a wildcard. Empty for an unknown scope. */
export function permissionsOf(scope: string): readonly Permission[] {
  return Object.hasOwn(permissionTexts(), scope) ? [scope as Permission] : coveredBy([scope]);
}

/** The permissions that at least one of the scopes covers. */
export function coveredBy(scopes: readonly string[]): Permission[] {
  const set = new PermissionSet(scopes);
  return permissionNames().filter((permission) => set.has(permission));
}

/**
 * A set of permissions for the whole tenant, possibly with wildcards. `*:read` does not include field permissions
 * (`employees.sensitive:read`), which must be held by name or through `*`.
 */
export class PermissionSet implements Rights {
  private readonly exact: ReadonlySet<string>;
  private readonly resources: ReadonlySet<string>;
  private readonly actions: ReadonlySet<string>;
  private readonly all: boolean;

  constructor(readonly scopes: readonly string[]) {
    this.exact = new Set(scopes);
    this.all = this.exact.has('*');
    this.resources = new Set(scopes.filter((scope) => scope.endsWith(':*')).map((scope) => scope.slice(0, -2)));
    this.actions = new Set(scopes.filter((scope) => scope.startsWith('*:')).map((scope) => scope.slice(2)));
  }

  has(permission: string): boolean {
    if (this.all || this.exact.has(permission)) return true;
    const colon = permission.indexOf(':');
    const resource = permission.slice(0, colon);
    if (this.resources.has(resource)) return true;
    return !resource.includes('.') && this.actions.has(permission.slice(colon + 1));
  }

  reach(permission: string): Reach | null {
    return this.has(permission) ? 'tenant' : null;
  }

  reachWithin(permission: string): Reach | null {
    return this.reach(permission);
  }

  inScope(permission: string): boolean {
    return this.has(permission);
  }

  isNamed(permission: string): boolean {
    return this.exact.has(permission) || this.resources.has(permission.slice(0, permission.indexOf(':')));
  }
}
