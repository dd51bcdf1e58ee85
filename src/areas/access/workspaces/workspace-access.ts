import { currentPrincipal, reachOf } from '#libs/auth/current-principal.js';
import { permissionNames, PermissionSet } from '#libs/auth/permissions.js';
import { MemberRights } from '#libs/auth/rights.js';
import { isBehindCaller } from '#libs/auth/second-person.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Member, roleIdsOf, type WorkspaceRole } from '#libs/members/member.js';
import type { RoleBook } from '#libs/members/role-book.js';
import type { Guard } from '#libs/resource/lists/table.js';

const READ = 'workspaces:read';
const MANAGE = 'workspaces:manage';
const EVERYTHING = new PermissionSet(['*']);

/** A place that a member is to have in a workspace. */
interface NewPlace {
  workspaceId: string;
  workspaceRole: WorkspaceRole;
}

/**
 * The workspaces visible to the caller: their own and open ones; with full reach, all; with a confined key, those of
 * the key.
 */
export function visible(): Guard | null {
  if (reachOf(READ) === 'tenant' || reachOf(MANAGE) === 'tenant') return null;
  const { membershipId, confinedTo } = currentPrincipal().authority;
  if (confinedTo) return (add) => `t.id = any(${add(confinedTo)}::uuid[])`;
  return (add) => `(t.visibility = 'open' or exists (select 1 from data.workspace_members p
    where p.tenant_id = t.tenant_id and p.workspace_id = t.id and p.membership_id = ${add(membershipId)}::uuid))`;
}

/**
 * The workspaces whose names the caller may know: those that they may read; without the permission to read any, those
 * that they are in.
 */
export function known(): Guard | null {
  const { permissions, authority } = currentPrincipal();
  if ([READ, MANAGE].some((permission) => permissions.reach(permission) !== null)) return visible();
  return (add) => `t.id = any(${add(authority.workspaceIds)}::uuid[])`;
}

/** Whether the caller manages a workspace, by a permission that reaches it or as its lead. */
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
  throw new Problem('permission_denied', `Only the lead of the workspace may do this, or a holder of ${MANAGE}.`, {
    extensions: { requiredPermission: MANAGE },
  });
}

/**
 * Refuses callers who would escalate their own rights, or those of the person behind their key, by joining a workspace:
 * through a wider reach (not for guests) or through the workspace's default roles.
 * @throws Problem 403 `not_by_oneself`.
 */
export async function refuseToRaise(
  transaction: Transaction,
  roles: RoleBook,
  { member, place, gifts }: { member: Member; place: NewPlace; gifts: readonly string[] },
): Promise<void> {
  if (!isBehindCaller(member.id)) return;
  const isIn = member.workspaces.some(
    ({ workspaceId, workspaceRole }) => workspaceId === place.workspaceId && workspaceRole !== 'guest',
  );
  const widens = !isIn && place.workspaceRole !== 'guest';
  const held = await roles.resolve(transaction, roleIdsOf(member), '/membershipId');
  const rights = new MemberRights(
    EVERYTHING,
    held.flatMap(({ grants }) => grants),
  );
  const grows = widens && permissionNames().some((permission) => rights.reach(permission) === 'workspace');
  if (gifts.length === 0 && !grows) return;
  throw new Problem('not_by_oneself', 'Somebody else must add you, because the workspace would give you more rights.');
}
