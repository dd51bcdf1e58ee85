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
 * Who may decide by a gate. Where it wants the manager of the requester, who has none, the owners stand in: nobody whom the
 * gate does not name.
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

/** @throws Problem 403 `not_an_approver`, 409 `already_decided` for somebody who may not decide about an approval. */
export function refuseToDecide({ rule, requesterPerson, decisions }: Approval, caller: Principal): void {
  const person = personOf(caller);
  for (const deciders of rule.also ? [rule, rule.also] : [rule]) refuseOther(deciders, caller);
  if (person === requesterPerson && !rule.allowSelfApproval)
    throw new Problem('not_an_approver', 'Who asked for approval cannot decide about it.');
  if (decisions.some((decision) => decision.person === person))
    throw new Problem('already_decided', 'You have decided about this already.');
}

/** @throws Problem 403 `not_an_approver` for somebody who is not among those who decide. */
function refuseOther({ memberIds, roleIds = [], permission }: Deciders, caller: Principal): void {
  const isNamed = memberIds.includes(personOf(caller)) || roleIds.some((id) => caller.authority.roleIds.includes(id));
  if (memberIds.length + roleIds.length > 0 && !isNamed)
    throw new Problem('not_an_approver', 'The gate names others to decide this.');
  if (permission !== null && caller.permissions.reach(permission) !== 'tenant')
    throw new Problem('not_an_approver', `Whoever decides this needs the scope ${permission}.`);
}

/** Whether somebody may decide about an approval. */
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
 * What somebody sees at all: what they asked for and could decide, and with one of the other permissions all that is about
 * what they may see, which is what `disclosed` lets through.
 */
export function visibleTo(caller: Principal, disclosed: Guard | null): Guard | null {
  const concerns: Guard = (add) => `(t.requester_person = ${add(personOf(caller))} or ${decidable(caller)(add)})`;
  const readsAll = ['approvals:read', 'approvals:manage'].some((each) => caller.permissions.reach(each) === 'tenant');
  if (!readsAll) return concerns;
  return disclosed && some(concerns, disclosed);
}

/** Narrows a list to what waits for somebody's decision, or to what they asked for. */
export function mineOf(caller: Principal, mine: (typeof MINE)[number]): Guard {
  const person = personOf(caller);
  if (mine === 'requested') return (add) => `t.requester_person = ${add(person)}`;
  return (add) =>
    `(t.status = 'pending' and ${decidable(caller)(add)}
      and (t.requester_person <> ${add(person)} or (t.rule->>'allowSelfApproval')::boolean)
      and not t.decisions @> ${add(JSON.stringify([{ person }]))}::jsonb)`;
}

/** What the gates let somebody decide, whoever asked. */
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
