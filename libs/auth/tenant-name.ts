import type { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';

const TENANT = `select name from directory.find_tenant($1)`;

/** The display name of the tenant in scope. */
export async function tenantName(database: Database): Promise<string> {
  const [row] = await database.read<{ name: string }>(statement(TENANT, [currentTenant().slug]));
  return row!.name;
}
