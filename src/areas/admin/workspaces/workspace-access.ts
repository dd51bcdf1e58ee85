import { currentPrincipal, reachOf } from '#libs/auth/current-principal.js';
import { PERMISSION_NAMES } from '#libs/auth/permissions.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Member, WorkspaceRole } from '#libs/members/member.js';
import type { Guard } from '#libs/resource/lists/table.js';

const READ = 'workspaces:read';
const MANAGE = 'workspaces:manage';

/** The workspaces that the caller sees: those that they are in, those that are open, and with full reach all; with a confined key, its own. */
export function visible(): Guard | null {
  if (reachOf(READ) === 'tenant' || reachOf(MANAGE) === 'tenant') return null;
  const { membershipId, confinedTo } = currentPrincipal().authority;
  if (confinedTo) return (add) => `t.id = any(${add(confinedTo)}::uuid[])`;
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

/**
 * Refuses callers who would give themselves rights by a place in a workspace: because their reach grows with it, which it
 * does not for guests, or by roles that come with it.
 * @throws Problem 403 `not_by_oneself`.
 */
export function refuseToRaise(
  { id, workspaces }: Member,
  place: { workspaceId: string; workspaceRole: WorkspaceRole },
  roleIds: readonly string[],
): void {
  if (id !== currentPrincipal().membershipId) return;
  const isIn = workspaces.some(
    ({ workspaceId, workspaceRole }) => workspaceId === place.workspaceId && workspaceRole !== 'guest',
  );
  const widens = !isIn && place.workspaceRole !== 'guest';
  const grows = widens && PERMISSION_NAMES.some((permission) => reachOf(permission) === 'workspace');
  if (roleIds.length === 0 && !grows) return;
  throw new Problem('not_by_oneself', 'Somebody else has to add you: the workspace would give you more rights.');
}
