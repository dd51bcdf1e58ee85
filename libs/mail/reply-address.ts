import { callerOrNull } from '#libs/auth/current-principal.js';
import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

// Members without an address have one in `.invalid`, to which nothing can be sent.
const ADDRESS = `select email from data.memberships where tenant_id = $1 and id = $2
  and status = 'active' and deleted_at is null and email_lower not like '%.invalid'`;

/** Address of the member who acts, as the one to reply to; nothing if no member does. */
export async function replyAddress(database: Database): Promise<{ replyTo?: string }> {
  const id = callerOrNull()?.membershipId;
  if (!id) return {};
  const [row] = await database.read<{ email: string }>(statement(ADDRESS, [currentTenant().id, id]));
  return row ? { replyTo: row.email } : {};
}
