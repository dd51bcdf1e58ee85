import { currentPrincipal, reachOf } from '#libs/auth/current-principal.js';
import { Problem, type Violation } from '#libs/kernel/problem.js';
import type { Guard } from '#libs/resource/lists/table.js';
import type { ChangeInvitation, Invite, InvitationAction } from './invitation.requests.js';
import type { Invitation } from './invitation.js';

const INVITE = 'members:invite';
/** What a change may bring along besides its action. */
const FIELDS: Record<InvitationAction, readonly (keyof ChangeInvitation)[]> = {
  update: ['roleIds', 'workspaceIds', 'expiresInDays'],
  resend: ['expiresInDays'],
  revoke: [],
};

/** The addresses to invite, as they were written. @throws Problem 400 unless there is one address or a list, and no more. */
export function addressesOf({ email, emails, employeeId }: Invite): string[] {
  const violations: Violation[] = [];
  if ((email === undefined) === (emails === undefined))
    violations.push({ pointer: '/email', code: 'required', detail: 'Give either one email or a list of emails.' });
  if (employeeId != null && email === undefined)
    violations.push({ pointer: '/employeeId', code: 'only_with_email', detail: 'An employee has one email.' });
  if (violations.length > 0) throw Problem.validation(violations);
  return emails ?? [email!];
}

/** @throws Problem 400 for a field that means nothing to the action. */
export function checkFields(action: InvitationAction, { action: _, ...fields }: ChangeInvitation): void {
  const wrong = Object.keys(fields).filter((field) => !FIELDS[action].includes(field as keyof ChangeInvitation));
  if (wrong.length === 0) return;
  const detail = `The action ${action} does not take this field.`;
  throw Problem.validation(wrong.map((field) => ({ pointer: `/${field}`, code: 'not_with_action', detail })));
}

/** The workspaces that are joined: the default one if none are named. @throws Problem 403 for those out of reach. */
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

/** The invitations that the caller may see and change: of people who join no workspace but theirs. */
export function withinReach(): Guard | null {
  if (reachOf(INVITE) === 'tenant') return null;
  const { workspaceIds } = currentPrincipal().authority;
  return (add) => `t.workspace_ids <> '{}' and t.workspace_ids <@ ${add([...workspaceIds])}::uuid[]`;
}

/** Whether an address may be invited by its domain. */
export function isAllowed(email: string, domains: readonly string[]): boolean {
  return domains.length === 0 || domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}

/** Whether an invitation can be accepted still; the timer that closes it may be a little late. */
export function isOpen({ status, expiresAt }: Pick<Invitation, 'status' | 'expiresAt'>, now: string): boolean {
  return status === 'pending' && expiresAt > now;
}
