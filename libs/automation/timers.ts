import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const SET = `
  insert into data.automation_runs (tenant_id, kind, key, state, due_at, created_at)
  values ($1, $2, $3, 'waiting', $4, now())
  on conflict (tenant_id, kind, key) do update set state = 'waiting', due_at = excluded.due_at, attempts = 0,
    finished_at = null, error_code = null, error_detail = null`;
const CANCEL = `update data.automation_runs set state = 'cancelled', finished_at = now()
  where tenant_id = $1 and kind = $2 and key = $3 and state in ('waiting', 'ready')`;

/** Names one timer of the tenant in scope. */
export interface TimerName {
  kind: string;
  /** Id of the record that it is about, or whatever its handler wants to be given. */
  key: string;
}

/**
 * The statement that sets a timer for `dueAt` (RFC 3339), to be committed with the change that calls for it. There is one
 * timer for each kind and key: setting it again moves it, or has it fire once more.
 */
export function timerStatement({ kind, key, dueAt }: TimerName & { dueAt: string }): Statement {
  return statement(SET, [currentTenant().id, kind, key, dueAt]);
}

/** The statement that takes a timer back; it changes nothing when none is set, or when it has fired. */
export function cancelStatement({ kind, key }: TimerName): Statement {
  return statement(CANCEL, [currentTenant().id, kind, key]);
}
