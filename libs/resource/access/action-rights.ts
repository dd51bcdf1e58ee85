import { callerOrNull } from '#libs/auth/current-principal.js';
import { isBehindCaller } from '#libs/auth/second-person.js';
import { actionIn, changesMore, type Command } from '#libs/http/command.js';
import type { Action } from '#libs/kernel/action.js';
import { Problem } from '#libs/kernel/problem.js';

/** Refuses a permission of the caller that does not reach a record. */
type Covers = (permission: string) => Promise<void>;

/**
 * Requires that the caller may take the action of a command on a record, and change what else its body changes.
 * @throws Problem 403 `permission_denied`, `not_by_oneself`.
 */
export async function requireCommand(command: Command, body: object, record: object, covers: Covers): Promise<void> {
  if (command.edits && changesMore(command, body)) await covers(command.edits.may.permission);
  const action = actionIn(command, body);
  if (action !== undefined) await requireAction(command.actions[action]!, record, covers);
}

/** As {@link requireCommand}, for an action. */
export async function requireAction(
  { may = [], orHolder, notBy }: Action,
  record: object,
  covers: Covers,
): Promise<void> {
  const valueOf = (field: string) => (record as Record<string, string | null>)[field]!;
  if (orHolder === undefined || !isCaller(valueOf(orHolder)))
    for (const { permission } of may) await covers(permission);
  if (notBy && isBehindCaller(valueOf(notBy.person))) throw new Problem('not_by_oneself', notBy.detail);
}

/** Whether a membership is the caller's. */
export function isCaller(membershipId: string | null | undefined): boolean {
  return membershipId != null && membershipId === callerOrNull()?.membershipId;
}
