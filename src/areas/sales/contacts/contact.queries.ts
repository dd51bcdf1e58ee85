import { statement, type Statement } from '#libs/database/statement.js';
import { fold } from '#libs/kernel/fold.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { surviving } from '../merging/merging.queries.js';

const LOCK_ACCOUNT = `select from data.sales_accounts where tenant_id = $1 and id = $2 for no key update`;
const PRIMARY = `select id from data.sales_contacts where tenant_id = $1 and account_id = $2 and is_primary
  and deleted_at is null and archived_at is null`;
const HAS_EMAIL = `exists (select from data.sales_contact_emails x
  where x.tenant_id = $1 and x.email = $2 and x.contact_id = t.id)`;
const OF_EMAIL = `${surviving('data.sales_contacts', HAS_EMAIL)}
  and (t.account_id is null or t.account_id = $3 or $3::uuid is null)
  order by t.account_id is null, via, t.created_at, t.id limit 1`;

/** Locks an account while its primary contact changes. */
export const lockAccount = (id: string): Statement => statement(LOCK_ACCOUNT, [currentTenant().id, id]);

/** The id of the primary contact of an account. */
export const primaryOf = (accountId: string): Statement => statement(PRIMARY, [currentTenant().id, accountId]);

/** The id of the oldest contact with an e-mail address that belongs to an account or to none. */
export const idOfEmail = (email: string, accountId: string | null): Statement =>
  statement(OF_EMAIL, [currentTenant().id, fold(email), accountId]);
