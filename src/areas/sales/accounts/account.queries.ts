import { type Guard, guarded } from '#libs/access/guard.js';
import { ALPHABET } from '#libs/database/alphabet.js';
import { exactSum } from '#libs/database/exact-sum.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { surviving } from '../merging/merging.queries.js';

const OPEN_DEALS = `select currency, ${exactSum('sum(value_minor)')} as "valueMinor"
  from data.sales_deals t where tenant_id = $1 and account_id = $2 and status = 'open' and deleted_at is null
    and archived_at is null and value_minor is not null`;
const BY_CURRENCY = ` group by currency order by currency`;
const BELOW = `with recursive above as (
    select parent_account_id from data.sales_accounts where tenant_id = $1 and id = $2
    union select a.parent_account_id from data.sales_accounts a join above on a.id = above.parent_account_id
      where a.tenant_id = $1)
  select from above where parent_account_id = $3`;
const oldest = (condition: string) =>
  `${surviving('data.sales_accounts', condition)} order by via, t.created_at, t.id limit 1`;
const OF_DOMAIN = oldest('t.domain = $2');
const OF_NAME = oldest(`t.name collate ${ALPHABET} = $2`);

/** Totals of the open deals of an account that the guard allows, by currency. */
export const openDeals = (id: string, guard: Guard | null): Statement =>
  guarded(OPEN_DEALS, [currentTenant().id, id], guard, BY_CURRENCY);

/** A row if an account is below another one, directly or indirectly. */
export const below = (id: string, above: string): Statement => statement(BELOW, [currentTenant().id, id, above]);

/** The id of the oldest account with an internet domain. */
export const idOfDomain = (domain: string): Statement => statement(OF_DOMAIN, [currentTenant().id, domain]);

/** The id of the oldest account with a name. */
export const idOfName = (name: string): Statement => statement(OF_NAME, [currentTenant().id, name]);
