import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** Whether no hold covers an AI job `j`: none names it, its requester, its agent or one of its targets. `$1`: tenant. */
export const IS_FREE_JOB = `case when data.has_holds($1) then not data.is_held($1, 'intelligence.job',
  to_jsonb(j) - array['sealed_input', 'sealed_context', 'sealed_places', 'output', 'proposed_actions']) else true end`;

/**
 * The statement that precedes deletions and other changes of records: no hold can be placed until the transaction ends,
 * and statements after it see all holds that were placed before.
 */
export function lockDeletions(): Statement {
  return statement('select data.lock_deletions()');
}

/** The statement that waits for running deletions and keeps new ones waiting until the transaction ends. */
export function lockHolds(): Statement {
  return statement('select data.lock_holds()');
}

/** The statement that fails with 423 `legal_hold` if a hold covers a record. `table` is schema-qualified. */
export function refuseHeld(table: string, type: string, id: string): Statement {
  const check = `select data.refuse_held(data.is_held($1, '${type}', to_jsonb(t))) from ${table} t
    where t.tenant_id = $1 and t.id = $2`;
  return statement(check, [currentTenant().id, id]);
}

/** Whether the tenant in scope has an active hold, as `held`. */
export function hasHolds(): Statement {
  return statement('select data.has_holds($1) as held', [currentTenant().id]);
}
