import { currentPrincipal, reachOf } from '#libs/auth/current-principal.js';
import { PERMISSION_NAMES } from '#libs/auth/permissions.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Guard } from '#libs/resource/table.js';

const READ = 'workspaces:read';
const MANAGE = 'workspaces:manage';

/** The workspaces that the caller sees: those that they are in, those that are open, and with full reach all. */
export function visible(): Guard | null {
  if (reachOf(READ) === 'tenant' || reachOf(MANAGE) === 'tenant') return null;
  const { membershipId } = currentPrincipal().authority;
  return (add) => `(t.visibility = 'open' or exists (select 1 from data.workspace_members p
    where p.tenant_id = t.tenant_id and p.workspace_id = t.id and p.membership_id = ${add(membershipId)}::uuid))`;
}

/** Whether the caller manages a workspace: by a permission that reaches it, or because they lead it. */
export function manages(id: string): boolean {
  const { authority, permissions } = currentPrincipal();
  const reach = reachOf(MANAGE);
  if (reach === 'tenant') return true;
  if (reach === 'workspace' && authority.workspaceIds.includes(id)) return true;
  return permissions.inScope(MANAGE) && authority.leads.includes(id);
}

/** @throws Problem 403 `permission_denied`. */
export function requireManager(id: string): void {
  if (manages(id)) return;
  throw new Problem('permission_denied', `This takes the lead of the workspace, or the permission ${MANAGE}.`, {
    extensions: { requiredPermission: MANAGE },
  });
}

/** Whether more workspaces would mean more rights for the caller. */
export function growsWithWorkspaces(): boolean {
  return PERMISSION_NAMES.some((permission) => reachOf(permission) === 'workspace');
}
