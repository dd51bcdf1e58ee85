import { currentTenant } from '#libs/tenancy/scope.js';
import { statement, type Statement } from './statement.js';

const LOCK = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';

/**
 * The statement after which the transactions that do `what` follow each other: those of a tenant, or `of` something else.
 * For what no row lock can guard, such as a count, a tree or a row that may not exist yet. It precedes the locks of rows.
 */
export function oneByOne(what: string, of = currentTenant().id): Statement {
  return statement(LOCK, [`${what}|${of}`]);
}
