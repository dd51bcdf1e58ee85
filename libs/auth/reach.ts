/** Reach of a permission in a role: the whole tenant, the member's workspaces, or the member's own records. */
export type Reach = 'tenant' | 'workspace' | 'own';

const WIDTHS: Record<Reach, number> = { own: 1, workspace: 2, tenant: 3 };

/** Whether the reach `outer` includes the reach `inner`. */
export function reachesAsFar(outer: Reach | null, inner: Reach): boolean {
  return outer !== null && WIDTHS[outer] >= WIDTHS[inner];
}

/** The rights of a principal, independent of any record. */
export interface Rights {
  /** Whether the permission is held at any reach. */
  has(permission: string): boolean;
  /** The reach of a permission; null when it is not held. */
  reach(permission: string): Reach | null;
  /** As {@link reach}, but relative to the workspaces that the credential is confined to, if any. */
  reachWithin(permission: string): Reach | null;
  /** Whether the scopes allow the permission, so that a grant for single records could give it. */
  inScope(permission: string): boolean;
  /** Whether a scope names the permission or its resource explicitly, rather than through `*`. */
  isNamed(permission: string): boolean;
}
