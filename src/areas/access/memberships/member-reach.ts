import type { Guard } from '#libs/access/guard.js';
import { currentPrincipal, reachOf } from '#libs/auth/current-principal.js';
import type { Permission } from '#libs/auth/permissions.js';

/** The members that one of the permissions reaches: the caller, members of the caller's workspaces, or all. */
export function withinReach(...permissions: Permission[]): Guard | null {
  const reaches = permissions.map((permission) => reachOf(permission));
  if (reaches.includes('tenant')) return null;
  const { membershipId, workspaceIds } = currentPrincipal().authority;
  return (add) => {
    const own = `t.id = ${add(membershipId)}::uuid`;
    if (!reaches.includes('workspace')) return reaches.includes('own') ? own : 'false';
    return `(${own} or exists (select 1 from data.workspace_members w where w.tenant_id = t.tenant_id
      and w.membership_id = t.id and w.workspace_id = any(${add(workspaceIds)}::uuid[])))`;
  };
}
