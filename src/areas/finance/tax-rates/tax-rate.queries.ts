import { type Guard, guarded } from '#libs/access/guard.js';
import { type Statement, statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const USABLE = `select id, name, percent from data.finance_tax_rates t
  where tenant_id = $1 and id = any($2::uuid[]) and archived_at is null and deleted_at is null`;

const KINDS = `select id, kind from data.finance_tax_rates where tenant_id = $1 and id = any($2::uuid[])`;

/** The rates that a new document can use and that the guard allows. */
export function usableRates(ids: readonly string[], guard: Guard | null): Statement {
  return guarded(USABLE, [currentTenant().id, ids], guard);
}

/** The kinds of rates, which may be archived. */
export function kindsOf(ids: readonly string[]): Statement {
  return statement(KINDS, [currentTenant().id, ids]);
}
