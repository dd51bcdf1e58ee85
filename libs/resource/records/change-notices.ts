import { callerOrNull } from '#libs/auth/current-principal.js';
import { timerStatement } from '#libs/automation/timers.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { ResourceDefinition } from '../types/definition.js';
import type { RecordRow } from '../types/record.entity.js';

/** The timer that notifies members of a change of a record. Its key is the id of the event. */
export const CHANGE_NOTICE = 'home.notifications.of_change';

// Like a timer, but only if the record is watched.
const IF_WATCHED = `
  insert into data.automation_runs (tenant_id, kind, key, state, due_at, created_at)
  select $1, $2, $3, 'waiting', $4, now()
  where exists (select 1 from data.record_watchers where tenant_id = $1 and record_id = $5)`;

type Assignable = Pick<ResourceDefinition, 'assignees'>;

/** The members who are responsible for a record, as its row or its events show it: owner and assignees. */
export function responsibleFor({ assignees = [] }: Assignable, record: object): string[] {
  const fields = record as Record<string, unknown>;
  const ids = ['ownerId', ...assignees].flatMap((field) => fields[field] as string | string[] | null | undefined);
  return ids.filter((id) => id != null);
}

/**
 * The statement that has members notified of a change, if there may be any: those who are newly responsible for the
 * record, and those who watch it. A flow on all events would cost a run for each change, although few concern anybody.
 */
export function noticesOf(
  definition: Assignable,
  eventId: string,
  before: RecordRow | null,
  after: RecordRow,
): Statement[] {
  const known = new Set([...responsibleFor(definition, before ?? {}), callerOrNull()?.membershipId]);
  const { updatedAt: dueAt } = after;
  if (responsibleFor(definition, after).some((id) => !known.has(id)))
    return [timerStatement({ kind: CHANGE_NOTICE, key: eventId, dueAt })];
  if (before === null) return [];
  return [statement(IF_WATCHED, [currentTenant().id, CHANGE_NOTICE, eventId, dueAt, after.id])];
}
