import { some } from '#libs/access/guard.js';
import { PERMISSION_NAMES } from '#libs/auth/permissions.js';
import { personOf, type Principal } from '#libs/auth/principal.js';
import { Problem } from '#libs/kernel/problem.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import type { CompleteGate } from '#libs/settings/gate.model.js';
import type { Approval, Deciders } from './approval.entity.js';
import type { MINE } from './approval.resource.js';
import type { Absent } from './stand-ins.js';

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

/**
 * For whom somebody decides about an approval: one of those for whom they stand in, or null for themselves.
 * @throws Problem 403 `not_an_approver`, 409 `already_decided` for somebody who may not decide about it.
 */
export function standsFor(
  { rule, requesterPerson, decisions }: Approval,
  caller: Principal,
  absent: readonly Absent[],
): Absent | null {
  const person = personOf(caller);
  const demanded = rule.also ? [rule, rule.also] : [rule];
  const voice = { membershipId: person, roleIds: caller.authority.roleIds };
  const isNamed = demanded.every((deciders) => names(deciders, voice));
  const others = person === requesterPerson ? [] : absent.filter((each) => each.membershipId !== requesterPerson);
  const behalf = isNamed ? null : others.find((each) => demanded.every((deciders) => names(deciders, each)));
  if (behalf === undefined) throw new Problem('not_an_approver', 'The gate names others to decide this.');
  for (const { permission } of demanded)
    if (permission !== null && caller.permissions.reach(permission) !== 'tenant')
      throw new Problem('not_an_approver', `Whoever decides this needs the scope ${permission}.`);
  if (person === requesterPerson && !rule.allowSelfApproval)
    throw new Problem('not_an_approver', 'Who asked for approval cannot decide about it.');
  if (decisions.some((decision) => decision.person === person))
    throw new Problem('already_decided', 'You have decided about this already.');
  return behalf;
}

/** Whether somebody is among those who decide; where nobody is named, everybody is. */
function names({ memberIds, roleIds = [] }: Deciders, person: Omit<Absent, 'name'>): boolean {
  if (memberIds.length + roleIds.length === 0) return true;
  return memberIds.includes(person.membershipId) || roleIds.some((id) => person.roleIds.includes(id));
}

/** Whether somebody may decide about an approval. */
export function mayDecide(approval: Approval, caller: Principal, absent: readonly Absent[]): boolean {
  if (caller.permissions.reach('approvals:decide') !== 'tenant') return false;
  try {
    standsFor(approval, caller, absent);
    return true;
  } catch {
    return false;
  }
}

/**
 * What somebody sees at all: what they asked for and could decide, and with one of the other permissions all that is about
 * what they may see, which is what `disclosed` lets through.
 */
export function visibleTo(caller: Principal, absent: readonly Absent[], disclosed: Guard | null): Guard | null {
  const concerns: Guard = (add) =>
    `(t.requester_person = ${add(personOf(caller))} or ${decidable(caller, absent)(add)})`;
  const readsAll = ['approvals:read', 'approvals:manage'].some((each) => caller.permissions.reach(each) === 'tenant');
  if (!readsAll) return concerns;
  return disclosed && some(concerns, disclosed);
}

/** Narrows a list to what waits for somebody's decision, or to what they asked for. */
export function mineOf(caller: Principal, absent: readonly Absent[], mine: (typeof MINE)[number]): Guard {
  const person = personOf(caller);
  if (mine === 'requested') return (add) => `t.requester_person = ${add(person)}`;
  return (add) =>
    `(t.status = 'pending' and ${decidable(caller, absent)(add)}
      and (t.requester_person <> ${add(person)} or (t.rule->>'allowSelfApproval')::boolean)
      and not t.decisions @> ${add(JSON.stringify([{ person }]))}::jsonb)`;
}

/** What the gates let somebody decide, whoever asked; for those who are away, what neither of the two asked for. */
function decidable(caller: Principal, absent: readonly Absent[]): Guard {
  if (caller.permissions.reach('approvals:decide') !== 'tenant') return () => 'false';
  const held = PERMISSION_NAMES.filter((permission) => caller.permissions.reach(permission) === 'tenant');
  const own = { membershipId: personOf(caller), roleIds: caller.authority.roleIds };
  const others = absent.map((each): Guard => (add) => {
    const asked = add([own.membershipId, each.membershipId]);
    return `(t.requester_person <> all(${asked}::uuid[]) and ${namedAs(each, held)(add)})`;
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
