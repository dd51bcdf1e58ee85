import { type AuditFact } from '#libs/audit/audit-entry.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { cut } from '#libs/kernel/cut.js';

const MAX_NAME = 200;
const BY = JSON.stringify({ type: 'system', id: null, name: 'platform' });

const WORKSPACE = `insert into data.workspaces (tenant_id, id, name, key, is_default, created_at, updated_at)
  values ($1, $2, 'General', 'GENERAL', true, $3, $3)`;
const OWNER = `
  insert into data.memberships (tenant_id, id, email, name, user_id, status, source, joined_at, created_at, updated_at)
  values ($1, $2, $3, $4, $5, 'active', 'bootstrap', $6, $6, $6)`;
const ROLE = `insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at) values ($1, $2, $3, $4)`;
const PLACE = `
  insert into data.workspace_members (tenant_id, workspace_id, membership_id, workspace_role, added_at, added_by)
  values ($1, $2, $3, 'lead', $4, $5)`;
const SETTINGS = `
  insert into data.tenant_settings (tenant_id, version, values, updated_at, updated_by) values ($1, 1, $2, $3, $4)`;
const LEAD = `update data.workspaces set lead_id = $3 where tenant_id = $1 and id = $2`;

/** Initial settings of a tenant that differ from the defaults. */
export interface FirstSettings {
  locale?: string | undefined;
  timezone?: string | undefined;
}

/** A person who creates a tenant for themselves. Unlike other owners, they have already signed in. */
export interface FoundingPerson {
  /** Id of their new membership. */
  membershipId: string;
  /** User id, valid across all tenants. */
  userId: string;
  name: string;
}

/** The statements that set up a new tenant, and their audit facts. */
export interface Beginnings {
  statements: Statement[];
  facts: AuditFact[];
}

/**
 * Initial data of a tenant: the default workspace, its settings, and the membership of its owner if an address is
 * given. There are no events, because nobody can have subscribed yet.
 */
export function beginnings(
  tenantId: string,
  {
    ownerEmail,
    ownerName,
    founder,
    general,
  }: { ownerEmail: string | null; ownerName?: string | null; founder?: FoundingPerson; general: FirstSettings },
  at: string,
): Beginnings {
  const workspaceId = uuidv7();
  const workspace = { type: 'core.workspace', id: workspaceId, name: 'General' };
  const statements = [statement(WORKSPACE, [tenantId, workspaceId, at])];
  const facts = [created(workspace, { isDefault: { from: null, to: true } })];
  if (Object.keys(general).length > 0)
    statements.push(statement(SETTINGS, [tenantId, JSON.stringify({ general }), at, BY]));
  if (ownerEmail === null) return { statements, facts };
  const ownerId = founder?.membershipId ?? uuidv7();
  // A name that nobody has given is unknown until the first sign-in.
  const name = founder?.name ?? ownerName ?? cut(ownerEmail.split('@')[0]!, MAX_NAME);
  statements.push(
    statement(OWNER, [tenantId, ownerId, ownerEmail, name, founder?.userId ?? null, at]),
    statement(ROLE, [tenantId, ownerId, SYSTEM_ROLE_IDS.owner, at]),
    statement(PLACE, [tenantId, workspaceId, ownerId, at, BY]),
    statement(LEAD, [tenantId, workspaceId, ownerId]),
  );
  const roleIds = { from: null, to: [SYSTEM_ROLE_IDS.owner] };
  const status = { from: null, to: 'active' };
  facts.push(created({ type: 'core.membership', id: ownerId, name }, { status, roleIds }));
  return { statements, facts };
}

function created(target: { type: string; id: string; name: string }, changes: AuditFact['changes']): AuditFact {
  return {
    action: `${target.type}.created`,
    target,
    outcome: 'success',
    riskLevel: 'medium',
    changes: changes ?? null,
  };
}
