import type { Database } from './database.js';
import { statement } from './statement.js';

/** Whether row-level security does not restrict the connection. */
export const BYPASSES = `(select r.rolsuper or r.rolbypassrls from pg_roles r where r.rolname = session_user)`;

const POWERS = statement(`
  select r.rolname as role, r.rolsuper as superuser, r.rolbypassrls as bypass,
    exists (select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname in ('directory', 'data') and pg_has_role(r.oid, c.relowner, 'MEMBER')) as owner
  from pg_roles r where r.rolname = session_user`);

/**
 * Refuses to run under a role that row-level security does not restrict: a superuser, a role that bypasses it, or one
 * that is or can become the owner of a table.
 * @throws Error with one clear line.
 */
export async function assertPowerless(database: Database): Promise<void> {
  const [answer] = await database.system([POWERS]);
  const { role, superuser, bypass, owner } = answer!.rows[0]!;
  if (superuser || bypass || owner)
    throw new Error(
      `The database role ${String(role)} could bypass tenant isolation (${superuser ? 'superuser' : bypass ? 'BYPASSRLS' : 'owner of tables'}); connect as the app role.`,
    );
}
