import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const SET = `
  insert into data.automation_runs (tenant_id, kind, key, state, due_at, created_at)
  values ($1, $2, $3, 'waiting', $4, now())
  on conflict (tenant_id, kind, key) do update set state = 'waiting', due_at = excluded.due_at, attempts = 0,
    finished_at = null, error_code = null, error_detail = null`;
const ADD = `
  insert into data.automation_runs (tenant_id, kind, key, state, due_at, created_at)
  values ($1, $2, $3, 'waiting', $4, now())
  on conflict (tenant_id, kind, key) do nothing`;
const CANCEL = `update data.automation_runs set state = 'cancelled', finished_at = now()
  where tenant_id = $1 and kind = $2 and key = $3 and state in ('waiting', 'ready')`;

/** Names one timer of the tenant in scope. */
export interface TimerName {
  kind: string;
  /** Id of the record that it concerns, or another value that its handler expects. */
  key: string;
}

/**
 * The statement that sets a timer for `dueAt` (RFC 3339). Commit it together with the change that requires it. There is
 * one timer per kind and key; setting it again moves it or makes it fire again.
 */
export function timerStatement({ kind, key, dueAt }: TimerName & { dueAt: string }): Statement {
  return statement(SET, [currentTenant().id, kind, key, dueAt]);
}

/** Like {@link timerStatement}, but has no effect if the timer was ever set, even if it has fired. */
export function onceStatement({ kind, key, dueAt }: TimerName & { dueAt: string }): Statement {
  return statement(ADD, [currentTenant().id, kind, key, dueAt]);
}

/** The statement that cancels a timer; it has no effect when none is set or it has fired. */
export function cancelStatement({ kind, key }: TimerName): Statement {
  return statement(CANCEL, [currentTenant().id, kind, key]);
}
