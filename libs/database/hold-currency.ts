import { currentTenant } from '#libs/tenancy/scope.js';
import { statement, type Statement } from './statement.js';

const HOLD = `select directory.hold_currency($1)`;

/**
 * Precedes postings in the tenant's currency: prevents a change of the currency until the commit. If it has already
 * changed, the unit of work starts over, as after any change of cached facts.
 */
export function holdCurrency(): Statement {
  return statement(HOLD, [currentTenant().currency]);
}
