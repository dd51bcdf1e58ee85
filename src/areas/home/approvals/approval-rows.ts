import { isClosed } from '#libs/access/limits.js';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { personBehind, personOf, type Principal } from '#libs/auth/principal.js';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { storableText } from '#libs/kernel/storable.js';
import type { WaitingAction } from '#libs/resource/gates/gates.js';
import type { Draft } from '#libs/resource/types/record.entity.js';
import type { ResourceDefinition } from '#libs/resource/types/definition.js';
import { type Actor, currentScope, type Warrant } from '#libs/tenancy/scope.js';
import type { Approval } from '#libs/resource/gates/approval.js';
import { approvalLifecycle } from '#libs/resource/gates/approval.lifecycle.js';
import type { KeptDecision } from '#libs/resource/gates/approval.parts.js';
import { ruleOf } from './approvers.js';
import type { Absent } from './stand-ins.js';

const MAX_NAME = 200;

/** A request for approval by the caller for a parked action. @param manager membership id, if the gate requires one */
export function draftOf(waiting: WaitingAction, manager: string | null, now: string): Draft<Approval> {
  const { gate, operation, action, summary, permission, object, row, input } = waiting;
  const { quorum, allowSelfApproval, approvers, alsoApprovers } = gate;
  const also = alsoApprovers ? { also: ruleOf(alsoApprovers, manager) } : {};
  const caller = currentPrincipal();
  return {
    name: storableText(`${summary}: ${row.name}`, MAX_NAME),
    gate: gate.key,
    operation,
    action,
    targetObject: object,
    targetId: row.id,
    targetVersion: row.version,
    targetName: row.name,
    input,
    requester: { ...personNow(caller), keyId: caller.keyId, permission },
    requesterPerson: personOf(caller),
    requesterBehind: personBehind(caller),
    rule: { ...ruleOf(approvers, manager), ...also, quorum, allowSelfApproval },
    decisions: [],
    status: approvalLifecycle.initial,
    expiresAt: new Date(Date.parse(now) + gate.expiresInHours * HOUR_MS).toISOString(),
    closedAt: null,
    failure: null,
  };
}

/** A decision by the caller, for themselves or for an absent member. */
export function decisionOf(
  { decision, note, behalf }: Pick<KeptDecision, 'decision' | 'note'> & { behalf: Absent | null },
  at: string,
): KeptDecision {
  const caller = currentPrincipal();
  const away = behalf && { type: 'member', id: behalf.membershipId, name: behalf.name };
  const onBehalfOf = away && { ...away, membershipId: away.id };
  return { by: personNow(caller), onBehalfOf, decision, note, at, person: personBehind(caller) };
}

/** The grounds of an action that is executed because of a request. */
export function warrantOf({ id, decisions }: Approval): Warrant {
  const approvals = decisions.filter(({ decision }) => decision === 'approve');
  return { grounds: `approval ${id}`, allowedBy: approvals.map(({ by }) => by as Actor) }; // as stored by `decisionOf`
}

/**
 * The part of the body that a caller may see: all of it for a requester who may still take the action or read such
 * records; for holders of the action's permission, the fields that they may see on the record.
 * @param definition of the type of the record; undefined if the request is about another object
 */
export function payloadFor(
  { input, requester, requesterPerson }: Approval,
  definition: ResourceDefinition | undefined,
  caller: Principal,
): Record<string, unknown> | null {
  const { restricted = [] } = definition ?? {};
  if (personOf(caller) === requesterPerson) {
    const mayKnow = !definition || caller.permissions.has(requester.permission);
    if (mayKnow || !isClosed(definition, definition.permissions.read)) return input;
  }
  if (caller.permissions.reach(requester.permission) !== 'tenant') return null;
  const concealed = new Set<string>(
    restricted.filter((each) => caller.permissions.reach(each.permission) !== 'tenant').flatMap(({ fields }) => fields),
  );
  return Object.fromEntries(Object.entries(input).filter(([field]) => !concealed.has(field)));
}

function personNow({ membershipId }: Principal) {
  return { ...currentScope().actor, membershipId };
}
