import type { QueryRunner } from 'typeorm';
import type { Roles } from './roles.js';

/** What a migration needs to know besides SQL. */
export interface MigrationContext {
  /** This installation's role names. */
  roles: Roles;
  /** Id of the master key with which keys in the database are encrypted, for a database from before key ids. */
  masterKeyId: string;
}

let context: MigrationContext | null = null;

/**
 * Set by the migrate step before it runs migrations. TypeORM constructs migrations itself, so they cannot be injected.
 */
export function setMigrationContext(value: MigrationContext): void {
  context = value;
}

/** The roles for grants in the running migration. @throws Error outside the migrate step. */
export function migrationRoles(): Roles {
  return migrationContext().roles;
}

/** @throws Error outside the migrate step. */
export function migrationContext(): MigrationContext {
  if (!context) throw new Error('Migrations run through the platform CLI: npm run platform -- migrate');
  return context;
}

const TENANT = `(select current_setting('app.tenant_id')::uuid)`;

interface TableAccess {
  /** Privileges of the API and of the worker inside a tenant, e.g. `select, insert`. */
  grant: string;
  /** Columns that may be updated if `grant` does not include update. */
  updateColumns?: string[];
}

/**
 * Turns a table with a `tenant_id` into a tenant table. Row-level security is forced. Its policy is RESTRICTIVE, so
 * that no later permissive policy can widen it, and strict, so that a query without a tenant fails. Neither the API
 * nor the worker can read or write other tenants' rows. `Source:` ADR 0002.
 */
export async function tenantTable(runner: QueryRunner, table: string, access: TableAccess): Promise<void> {
  const { app, system } = migrationRoles();
  await secure(runner, table);
  await runner.query(
    `create policy tenant_isolation on ${table} as restrictive for all to ${app}, ${system}
       using (tenant_id = ${TENANT}) with check (tenant_id = ${TENANT})`,
  );
  await grant(runner, table, `${app}, ${system}`, access);
}

/**
 * Like {@link tenantTable} for the API, but the worker's role sees the rows of all tenants, because its queues span
 * them. Only for tables that the worker reads across tenants.
 */
export async function systemTable(
  runner: QueryRunner,
  table: string,
  access: { app: TableAccess; system: TableAccess },
): Promise<void> {
  const { app, system } = migrationRoles();
  await secure(runner, table);
  await runner.query(
    `create policy tenant_isolation on ${table} as restrictive for all to ${app}
       using (tenant_id = ${TENANT}) with check (tenant_id = ${TENANT})`,
  );
  await grant(runner, table, app, access.app);
  await grant(runner, table, system, access.system);
}

async function secure(runner: QueryRunner, table: string): Promise<void> {
  const { app, system } = migrationRoles();
  await runner.query(`alter table ${table} enable row level security`);
  await runner.query(`alter table ${table} force row level security`);
  await runner.query(`create policy rows on ${table} for all to ${app}, ${system} using (true) with check (true)`);
}

async function grant(runner: QueryRunner, table: string, role: string, access: TableAccess): Promise<void> {
  await runner.query(`grant ${access.grant} on ${table} to ${role}`);
  if (access.updateColumns)
    await runner.query(`grant update (${access.updateColumns.join(', ')}) on ${table} to ${role}`);
}
