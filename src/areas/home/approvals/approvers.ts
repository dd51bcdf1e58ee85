import { every, some } from '#libs/access/guard.js';
import { permissionNames } from '#libs/auth/permissions.js';
import { personBehind, personOf, type Principal } from '#libs/auth/principal.js';
import { includedIn } from '#libs/auth/rights.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import type { Approval } from '#libs/resource/gates/approval.js';
import type { Deciders } from '#libs/resource/gates/approval.parts.js';
import type { MINE } from './approval.requests.js';
import type { Absent } from './stand-ins.js';

/**
 * Who may decide according to a gate. If it only names the requester's manager and there is none, owners decide
 * instead.
 */
export function ruleOf(
  { memberIds, roleIds, managerOfRequester, permission }: CompleteGate['approvers'],
  manager: string | null,
): Required<Deciders> {
  const managers = manager === null ? [] : [manager];
  const isOpen = managerOfRequester && manager === null && memberIds.length === 0 && roleIds.length === 0;
  return {
    memberIds: [...new Set([...memberIds, ...managers])],
    roleIds: isOpen ? [SYSTEM_ROLE_IDS.owner] : roleIds,
    managerOfRequester,
    permission,
  };
}

/**
 * For whom the caller decides on an approval: an absent member, or null for themselves.
 * @throws Problem 403 `not_an_approver`, 409 `already_decided` for a caller who may not decide.
 */
export function standsFor(
  { rule, requesterBehind, decisions }: Approval,
  caller: Principal,
  absent: readonly Absent[],
): Absent | null {
  const person = personBehind(caller);
  const demanded = rule.also ? [rule, rule.also] : [rule];
  const voice = { membershipId: personOf(caller), roleIds: caller.authority.roleIds };
  const isNamed = demanded.every((deciders) => names(deciders, voice));
  const others = person === requesterBehind ? [] : absent.filter((each) => each.membershipId !== requesterBehind);
  const behalf = isNamed ? null : others.find((each) => demanded.every((deciders) => names(deciders, each)));
  if (behalf === undefined)
    throw new Problem('not_an_approver', 'You are not among the approvers that the gate names.');
  for (const { permission } of demanded)
    if (permission !== null && caller.permissions.reach(permission) !== 'tenant')
      throw new Problem('not_an_approver', `This decision requires the scope ${permission}.`);
  if (person === requesterBehind && !rule.allowSelfApproval)
    throw new Problem('not_an_approver', 'The requester cannot decide on their own request.');
  if (decisions.some((decision) => decision.person === person))
    throw new Problem('already_decided', 'You have already decided on this request.');
  return behalf;
}

/** Whether a person may decide; if nobody is named, everybody may. */
function names({ memberIds, roleIds = [] }: Deciders, person: Omit<Absent, 'name'>): boolean {
  if (memberIds.length + roleIds.length === 0) return true;
  return memberIds.includes(person.membershipId) || roleIds.some((id) => person.roleIds.includes(id));
}

/** Whether the caller may decide on an approval. */
export function mayDecide(approval: Approval, caller: Principal, absent: readonly Absent[]): boolean {
  if (caller.permissions.reach('approvals:decide') !== 'tenant') return false;
  try {
    standsFor(approval, caller, absent);
    return true;
  } catch {
    return false;
  }
}

/** What the caller may know about the targets of requests. */
export interface Sight {
  /** Requests about records that they may know and, unless the key is confined, about other objects; null for all. */
  disclosed: Guard | null;
  /** Types of records that the scopes of the credential include; null for all. */
  typesInScope: readonly string[] | null;
}

/**
 * The requests visible to a caller: their own and those that they could decide. With a further permission, also all
 * requests about records that they may see.
 */
export function visibleTo(caller: Principal, absent: readonly Absent[], sight: Sight): Guard | null {
  const { disclosed } = sight;
  const own: Guard = (add) => `t.requester_person = ${add(personOf(caller))}`;
  const concerns = some(
    every(own, knownToRequester(caller, sight)),
    every(decidable(caller, absent), inScope(caller, sight)),
  )!;
  const readsAll = ['approvals:read', 'approvals:manage'].some((each) => caller.permissions.reach(each) === 'tenant');
  if (!readsAll) return concerns;
  return disclosed && some(concerns, disclosed);
}

/** What requesters may still know of their own requests: they may take the action, or know the record. */
function knownToRequester({ permissions, authority }: Principal, { disclosed, typesInScope }: Sight): Guard | null {
  if (!disclosed || authority.confinedTo !== null) return disclosed;
  const held = permissionNames().filter((permission) => permissions.has(permission));
  const mayAct: Guard = (add) => `t.requester->>'permission' = any(${add(held)}::text[])`;
  const isOpen: Guard | null = typesInScope && ((add) => `t.target_object = any(${add(typesInScope)}::text[])`);
  return some(mayAct, every(isOpen, disclosed));
}

/**
 * Deciders need not be able to read the record, but the scopes of their credential must include it, the action or the
 * permission that the gate demands of them.
 */
function inScope({ permissions }: Principal, { typesInScope }: Sight): Guard | null {
  if (typesInScope === null) return null;
  const scopes = includedIn(permissions);
  return (add) => `(t.target_object = any(${add(typesInScope)}::text[])
    or t.requester->>'permission' = any(${add(scopes)}::text[]) or t.rule->>'permission' = any(${add(scopes)}::text[]))`;
}

/** Narrows a list to requests that wait for the caller's decision, or to their own. */
export function mineOf(caller: Principal, absent: readonly Absent[], mine: (typeof MINE)[number]): Guard {
  if (mine === 'requested') return (add) => `t.requester_person = ${add(personOf(caller))}`;
  const person = personBehind(caller);
  return (add) =>
    `(t.status = 'pending' and ${decidable(caller, absent)(add)}
      and (t.requester_behind <> ${add(person)} or (t.rule->>'allowSelfApproval')::boolean)
      and not t.decisions @> ${add(JSON.stringify([{ person }]))}::jsonb)`;
}

/**
 * The requests that the caller may decide according to their gates, regardless of the requester; for absent members,
 * those that neither of the two has requested.
 */
function decidable(caller: Principal, absent: readonly Absent[]): Guard {
  if (caller.permissions.reach('approvals:decide') !== 'tenant') return () => 'false';
  const held = permissionNames().filter((permission) => caller.permissions.reach(permission) === 'tenant');
  const own = { membershipId: personOf(caller), roleIds: caller.authority.roleIds };
  const others = absent.map((each): Guard => (add) => {
    const asked = add([personBehind(caller), each.membershipId]);
    return `(t.requester_behind <> all(${asked}::uuid[]) and ${namedAs(each, held)(add)})`;
  });
  return some(namedAs(own, held), ...others)!;
}

function namedAs({ membershipId, roleIds }: Omit<Absent, 'name'>, held: readonly string[]): Guard {
  return (add) => {
    const [person, roles, permissions] = [add(membershipId), add(roleIds), add(held)];
    const isAmong = (deciders: string) =>
      `(${deciders}->'memberIds' = '[]' and coalesce(${deciders}->'roleIds', '[]') = '[]'
          or ${deciders}->'memberIds' ? ${person} or ${deciders}->'roleIds' ?| ${roles}::text[])
        and (${deciders}->>'permission' is null or ${deciders}->>'permission' = any(${permissions}))`;
    return `(${isAmong('t.rule')} and (t.rule->'also' is null or ${isAmong(`(t.rule->'also')`)}))`;
  };
}
