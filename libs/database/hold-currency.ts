import { currentTenant } from '#libs/tenancy/scope.js';
import { statement, type Statement } from './statement.js';

const HOLD = `select directory.hold_currency($1)`;

/**
 * Goes before what is posted in the currency of the tenant: until the commit the tenant gets no other one. Where it has
 * got another one meanwhile, the unit of work starts over, as for any fact that has changed.
 */
export function holdCurrency(): Statement {
  return statement(HOLD, [currentTenant().currency]);
}
