import { isDeepStrictEqual } from 'node:util';
import type { CompleteGate } from '#libs/settings/gate.model.js';

type Approvers = CompleteGate['approvers'];

/** The gates in force that are easier to pass afterwards, as they were before. */
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

/** Whether a gate holds all that it held before, and lets it pass for no less. */
function isAsStrict(after: CompleteGate | undefined, before: CompleteGate): boolean {
  if (!after?.enabled) return false;
  // All conditions have to be met for a gate to hold: it holds more without some of them.
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
  // Where the manager alone is named, owners stand in for one that there is not.
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
