import { callerOrNull } from '#libs/auth/current-principal.js';
import { timerStatement } from '#libs/automation/timers.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { RecordRow } from '../types/record.entity.js';

/** The timer that notifies members of a change of a record. Its key is the id of the event. */
export const CHANGE_NOTICE = 'home.notifications.of_change';

// Like a timer, but only if the record is watched.
const IF_WATCHED = `
  insert into data.automation_runs (tenant_id, kind, key, state, due_at, created_at)
  select $1, $2, $3, 'waiting', $4, now()
  where exists (select 1 from data.record_watchers where tenant_id = $1 and record_id = $5)`;

/** The members who are responsible for a record, as its row or its events show it. */
export function responsibleFor(record: object): string[] {
  const { ownerId, assigneeIds } = record as { ownerId?: string | null; assigneeIds?: readonly string[] };
  return [...(ownerId ? [ownerId] : []), ...(assigneeIds ?? [])];
}

/**
 * The statement that has members notified of a change, if there may be any: those who are newly responsible for the
 * record, and those who watch it. A flow on all events would cost a run for each change, although few concern anybody.
 */
export function noticesOf(eventId: string, before: RecordRow | null, after: RecordRow): Statement[] {
  const known = new Set([...responsibleFor(before ?? {}), callerOrNull()?.membershipId]);
  const { updatedAt: dueAt } = after;
  if (responsibleFor(after).some((id) => !known.has(id)))
    return [timerStatement({ kind: CHANGE_NOTICE, key: eventId, dueAt })];
  if (before === null) return [];
  return [statement(IF_WATCHED, [currentTenant().id, CHANGE_NOTICE, eventId, dueAt, after.id])];
}
