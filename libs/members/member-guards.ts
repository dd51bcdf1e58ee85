import { currentPrincipal } from '#libs/auth/current-principal.js';
import { isBehindCaller } from '#libs/auth/second-person.js';
import { invalidTransition } from '#libs/kernel/lifecycle.js';
import { Problem } from '#libs/kernel/problem.js';
import { type Doer, type Member, type MemberStatus, roleIdsOf, workspaceIdsOf } from './member.js';
import { OWNER_ROLE, requireOwner } from './role-book.js';

/** Transitions from each status: the target status and the action that leads there. */
const MOVES: Record<MemberStatus, Partial<Record<MemberStatus, string>>> = {
  invited: { active: 'activate', suspended: 'suspend', deactivated: 'deactivate' },
  active: { suspended: 'suspend', deactivated: 'deactivate' },
  suspended: { active: 'reactivate', deactivated: 'deactivate' },
  deactivated: { active: 'reactivate' },
};
const VERBS: Record<MemberStatus, string> = {
  invited: 'invite',
  active: 'reactivate',
  suspended: 'suspend',
  deactivated: 'deactivate',
};

/** Whether a status takes a seat. */
export function hasSeat(status: MemberStatus): boolean {
  return status === 'active' || status === 'invited';
}

/** Whether a member counts as one of the owners that a tenant needs. */
export function isActiveOwner(member: Member): boolean {
  return member.status === 'active' && roleIdsOf(member).includes(OWNER_ROLE);
}

/** @throws Problem 409 `invalid_transition`. */
export function refuseImpossible(before: Member, status: MemberStatus): void {
  if (status === before.status || MOVES[before.status][status] !== undefined) return;
  throw invalidTransition(VERBS[status], { state: before.status }, Object.values(MOVES[before.status]));
}

/**
 * Checks that the caller may make a change. Whether roles may be granted is checked by the role book.
 * @throws Problem 403, 409 `managed_by_scim`.
 */
export function refuseForbidden(before: Member, after: Member, by: Doer): void {
  if (by === 'platform') return;
  const given = added(roleIdsOf(before), roleIdsOf(after));
  if (by === 'scim') {
    if (given.includes(OWNER_ROLE))
      throw new Problem('permission_denied', 'An identity provider cannot grant the owner role.');
    return;
  }
  refuseByHand(before, after);
  const caller = currentPrincipal();
  const joined = added(workspaceIdsOf(before), workspaceIdsOf(after));
  if (isBehindCaller(before.id) && (given.length > 0 || joined.length > 0))
    throw new Problem('not_by_oneself', 'Nobody can give themselves a role or a workspace.');
  const isRaised = before.status === 'deactivated' && after.status === 'active';
  if ((isActedOn(before, after) && roleIdsOf(before).includes(OWNER_ROLE)) || isRaised) requireOwner(caller);
}

/** Whether a change affects roles, title or status, not only workspaces. */
export function isActedOn(before: Member, after: Member): boolean {
  const [had, has] = [roleIdsOf(before), roleIdsOf(after)];
  const moved = [...added(had, has), ...added(has, had)];
  return moved.length > 0 || before.title !== after.title || before.status !== after.status;
}

/** @throws Problem 409 `managed_by_scim` for fields that an identity provider manages. */
function refuseByHand(before: Member, after: Member): void {
  const fields = (['email', 'name', 'title', 'status'] as const).filter((field) => before[field] !== after[field]);
  if (before.managedByScim && fields.length > 0)
    throw new Problem('managed_by_scim', 'The identity provider manages this member.', {
      extensions: { managedFields: fields },
    });
}

/** Entries of the second list that are missing from the first. */
export function added(before: readonly string[], after: readonly string[]): string[] {
  const known = new Set(before);
  return after.filter((each) => !known.has(each));
}
