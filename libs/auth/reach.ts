/** How far a permission of a role reaches: the whole tenant, the member's workspaces, or the member's own records. */
export type Reach = 'tenant' | 'workspace' | 'own';

const WIDTHS: Record<Reach, number> = { own: 1, workspace: 2, tenant: 3 };

/** Whether everything within the reach `inner` is within `outer` too. */
export function reachesAsFar(outer: Reach | null, inner: Reach): boolean {
  return outer !== null && WIDTHS[outer] >= WIDTHS[inner];
}

/** What somebody may do, before any record is looked at. */
export interface Rights {
  /** Whether the permission is held at all, however far it reaches. */
  has(permission: string): boolean;
  /** How far a permission reaches; null for one that is not held. */
  reach(permission: string): Reach | null;
  /** As {@link reach}, but within the workspaces that the credential is confined to, if it is. */
  reachWithin(permission: string): Reach | null;
  /** Whether the credential could use the permission where a grant for single records gives it. */
  inScope(permission: string): boolean;
  /** Whether a scope of the credential names the permission or all of its resource, and not only covers everything. */
  isNamed(permission: string): boolean;
}
