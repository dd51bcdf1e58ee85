import { some } from '#libs/access/guard.js';
import { PERMISSION_NAMES } from '#libs/auth/permissions.js';
import { personOf, type Principal } from '#libs/auth/principal.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import type { Approval } from '#libs/resource/gates/approval.js';
import type { Deciders } from '#libs/resource/gates/approval.parts.js';
import type { MINE } from './approval.requests.js';

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

/** @throws Problem 403 `not_an_approver`, 409 `already_decided` for a caller who may not decide on an approval. */
export function refuseToDecide({ rule, requesterPerson, decisions }: Approval, caller: Principal): void {
  const person = personOf(caller);
  for (const deciders of rule.also ? [rule, rule.also] : [rule]) refuseOther(deciders, caller);
  if (person === requesterPerson && !rule.allowSelfApproval)
    throw new Problem('not_an_approver', 'The requester cannot decide on their own request.');
  if (decisions.some((decision) => decision.person === person))
    throw new Problem('already_decided', 'You have already decided on this request.');
}

/** @throws Problem 403 `not_an_approver` for a caller who is not among the approvers. */
function refuseOther({ memberIds, roleIds = [], permission }: Deciders, caller: Principal): void {
  const isNamed = memberIds.includes(personOf(caller)) || roleIds.some((id) => caller.authority.roleIds.includes(id));
  if (memberIds.length + roleIds.length > 0 && !isNamed)
    throw new Problem('not_an_approver', 'You are not among the approvers that the gate names.');
  if (permission !== null && caller.permissions.reach(permission) !== 'tenant')
    throw new Problem('not_an_approver', `This decision requires the scope ${permission}.`);
}

/** Whether the caller may decide on an approval. */
export function mayDecide(approval: Approval, caller: Principal): boolean {
  if (caller.permissions.reach('approvals:decide') !== 'tenant') return false;
  try {
    refuseToDecide(approval, caller);
    return true;
  } catch {
    return false;
  }
}

/**
 * The requests visible to a caller: their own and those that they could decide. With a further permission, also all
 * requests about records that they may see (`disclosed`).
 */
export function visibleTo(caller: Principal, disclosed: Guard | null): Guard | null {
  const concerns: Guard = (add) => `(t.requester_person = ${add(personOf(caller))} or ${decidable(caller)(add)})`;
  const readsAll = ['approvals:read', 'approvals:manage'].some((each) => caller.permissions.reach(each) === 'tenant');
  if (!readsAll) return concerns;
  return disclosed && some(concerns, disclosed);
}

/** Narrows a list to requests that wait for the caller's decision, or to their own. */
export function mineOf(caller: Principal, mine: (typeof MINE)[number]): Guard {
  const person = personOf(caller);
  if (mine === 'requested') return (add) => `t.requester_person = ${add(person)}`;
  return (add) =>
    `(t.status = 'pending' and ${decidable(caller)(add)}
      and (t.requester_person <> ${add(person)} or (t.rule->>'allowSelfApproval')::boolean)
      and not t.decisions @> ${add(JSON.stringify([{ person }]))}::jsonb)`;
}

/** The requests that the caller may decide according to their gates, regardless of the requester. */
function decidable(caller: Principal): Guard {
  if (caller.permissions.reach('approvals:decide') !== 'tenant') return () => 'false';
  const held = PERMISSION_NAMES.filter((permission) => caller.permissions.reach(permission) === 'tenant');
  return (add) => {
    const [person, roleIds, permissions] = [add(personOf(caller)), add(caller.authority.roleIds), add(held)];
    const isAmong = (deciders: string) =>
      `(${deciders}->'memberIds' = '[]' and coalesce(${deciders}->'roleIds', '[]') = '[]'
          or ${deciders}->'memberIds' ? ${person} or ${deciders}->'roleIds' ?| ${roleIds}::text[])
        and (${deciders}->>'permission' is null or ${deciders}->>'permission' = any(${permissions}))`;
    return `(${isAmong('t.rule')} and (t.rule->'also' is null or ${isAmong(`(t.rule->'also')`)}))`;
  };
}
