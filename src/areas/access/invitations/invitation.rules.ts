import { domainOfAddress } from '#libs/kernel/domain.js';
import { currentPrincipal, reachOf } from '#libs/auth/current-principal.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Guard } from '#libs/resource/lists/table.js';
import type { Invite } from './invitation.requests.js';
import type { Invitation } from './invitation.js';

const INVITE = 'members:invite';
/** The addresses to invite, as written. @throws Problem 400 unless either one address or a list is given. */
export function addressesOf({ email, emails, employeeId }: Invite): string[] {
  const violations: Violation[] = [];
  if ((email === undefined) === (emails === undefined))
    violations.push({ pointer: '/email', code: 'required', detail: 'Specify either one email or a list of emails.' });
  if (employeeId != null && email === undefined)
    violations.push({
      pointer: '/employeeId',
      code: 'only_with_email',
      detail: 'An employee requires a single email.',
    });
  if (violations.length > 0) throw Problem.validation(violations);
  return emails ?? [email!];
}

/** The workspaces to join; the default one if none are given. @throws Problem 403 for workspaces out of reach. */
export function placesWithinReach(workspaceIds: readonly string[] | undefined): string[] {
  const { authority } = currentPrincipal();
  const places = workspaceIds ?? (authority.defaultWorkspaceId === null ? [] : [authority.defaultWorkspaceId]);
  if (reachOf(INVITE) === 'tenant') return [...places];
  const own = new Set(authority.workspaceIds);
  if (places.length > 0 && places.every((each) => own.has(each))) return [...places];
  throw new Problem('permission_denied', `The permission ${INVITE} reaches your own workspaces only.`, {
    extensions: { requiredPermission: INVITE },
  });
}

/** The invitations that the caller may see and change: those that only name the caller's workspaces. */
export function withinReach(): Guard | null {
  if (reachOf(INVITE) === 'tenant') return null;
  const { workspaceIds } = currentPrincipal().authority;
  return (add) => `t.workspace_ids <> '{}' and t.workspace_ids <@ ${add([...workspaceIds])}::uuid[]`;
}

/** Whether an address may be invited by its domain. */
export function isAllowed(email: string, domains: readonly string[]): boolean {
  return domains.length === 0 || domains.map(domainOfAddress).includes(domainOfAddress(email));
}

/** Whether an invitation can still be accepted. Its timer may close it slightly late. */
export function isOpen({ status, expiresAt }: Pick<Invitation, 'status' | 'expiresAt'>, now: string): boolean {
  return status === 'pending' && expiresAt > now;
}
