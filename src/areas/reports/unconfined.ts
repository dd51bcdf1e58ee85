import { currentPrincipal } from '#libs/auth/current-principal.js';
import { Problem } from '#libs/kernel/problem.js';

/**
 * Stored runs have all rights of a member, so a credential that is confined to workspaces could see more than it may.
 * @throws Problem 403.
 */
export function requireUnconfined(): void {
  if (currentPrincipal().authority.confinedTo === null) return;
  throw new Problem('permission_denied', 'A credential that is confined to workspaces cannot use stored runs.');
}
