import { isDeepStrictEqual } from 'node:util';
import type { CompleteGate } from '#libs/settings/gate.model.js';

type Approvers = CompleteGate['approvers'];

/** The previous versions of all active gates that become easier to pass. */
export function loosened(before: readonly CompleteGate[], after: readonly CompleteGate[]): CompleteGate[] {
  return before.filter(
    (gate) =>
      gate.enabled &&
      !isAsStrict(
        after.find(({ key }) => key === gate.key),
        gate,
      ),
  );
}

/** Whether a gate is at least as strict as before. */
function isAsStrict(after: CompleteGate | undefined, before: CompleteGate): boolean {
  if (!after?.enabled) return false;
  // A gate holds an action only if all conditions are met, so fewer conditions make it stricter.
  const isAsWide = after.conditions.every((each) => before.conditions.some((known) => isDeepStrictEqual(each, known)));
  if (!isAsWide) return false;
  if (after.effect === 'deny') return true;
  return (
    before.effect !== 'deny' &&
    after.quorum >= before.quorum &&
    (before.allowSelfApproval || !after.allowSelfApproval) &&
    letsNobodyElseDecide(after.approvers, before.approvers)
  );
}

function letsNobodyElseDecide(after: Approvers, before: Approvers): boolean {
  if (before.permission !== null && after.permission !== before.permission) return false;
  if (isOpen(before)) return true;
  if (isOpen(after)) return false;
  // If only the manager is named and there is none, owners decide.
  if (namesNobody(after) && !namesNobody(before)) return false;
  return (
    after.memberIds.every((id) => before.memberIds.includes(id)) &&
    after.roleIds.every((id) => before.roleIds.includes(id)) &&
    (before.managerOfRequester || !after.managerOfRequester)
  );
}

function namesNobody({ memberIds, roleIds }: Approvers): boolean {
  return memberIds.length + roleIds.length === 0;
}

function isOpen(approvers: Approvers): boolean {
  return namesNobody(approvers) && !approvers.managerOfRequester;
}
