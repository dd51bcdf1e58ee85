/**
 * The database roles of one installation. None may bypass row-level security. The two that can log in own no tables.
 *
 * - `owner` owns schemas, tables and functions; cannot log in.
 * - `app` is the API: rows of the tenant in context, nothing else.
 * - `system` is the worker and the operator CLI: the same for tenant tables, and all rows of the few system tables. It
 *   also owns the function that removes sample data (ADR 0060).
 * - `lookup` owns the SECURITY DEFINER functions (credential lookup, search); cannot log in.
 *
 * Names begin with a prefix, because roles belong to the whole cluster, which several installations may share (ADR
 * 0004).
 */
export interface Roles {
  owner: string;
  app: string;
  system: string;
  lookup: string;
}

export function rolesOf(prefix: string): Roles {
  return { owner: `${prefix}_owner`, app: `${prefix}_app`, system: `${prefix}_system`, lookup: `${prefix}_lookup` };
}

/** Default prefix: the database name, limited to what a role name allows. */
export function defaultPrefix(databaseUrl: string): string {
  const name = decodeURIComponent(new URL(databaseUrl).pathname.slice(1)).toLowerCase();
  const safe = name.replace(/[^a-z0-9_]/g, '_').slice(0, 41);
  return /^[a-z]/.test(safe) ? safe : `p${safe}`.slice(0, 41);
}
