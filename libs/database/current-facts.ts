import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { statement, type Statement } from './statement.js';

const CHECK = `select directory.check_epoch($1::uuid, $2::bigint)`;

/**
 * Follows a lock that a change of the settings takes too: if they have changed while the unit of work waited, it starts
 * over with the new ones. Nothing where facts are not refreshed and may be old anyway.
 */
export function currentFacts(): Statement[] {
  const { id, epoch } = currentTenant();
  return currentScope().refresh ? [statement(CHECK, [id, epoch])] : [];
}
