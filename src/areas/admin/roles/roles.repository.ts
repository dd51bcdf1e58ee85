import { Injectable } from '@nestjs/common';
import { ALPHABET } from '#libs/database/alphabet.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { memberCounts } from '#libs/members/member-counts.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** A role of the tenant's own. */
export interface RoleRow {
  id: string;
  key: string;
  name: string;
  description: string | null;
  permissions: string[];
  version: number;
  createdAt: string;
  updatedAt: string;
}

const SELECT = `select id, key, name, description, permissions, version, created_at as "createdAt",
  updated_at as "updatedAt" from data.roles where tenant_id = $1`;
const LIST = `${SELECT} order by name collate ${ALPHABET}, id`;
const FIND = `${SELECT} and id = $2`;
const LOCK = `${FIND} for update`;
// Who makes roles does so one after the other, so that their number is exact.
const ONE_BY_ONE = `select pg_advisory_xact_lock(hashtextextended('roles|' || $1::uuid::text, 0))`;
const INSERT = `insert into data.roles (tenant_id, id, key, name, description, permissions, version, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const SAVE = `update data.roles set name = $3, description = $4, permissions = $5, version = $6, updated_at = $7
  where tenant_id = $1 and id = $2`;
const DELETE = `delete from data.roles where tenant_id = $1 and id = $2`;
// Each source keeps the say about what it gave: what it gave is the replacement from now on.
const REPLACE = `
  with taken as (
    delete from data.role_assignments where tenant_id = $1 and role_id = $2 returning membership_id, source),
  given as (
    insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
    select $1, membership_id, $3, source, $4 from taken on conflict do nothing)
  update data.memberships m set version = m.version + 1, updated_at = $4
  where m.tenant_id = $1 and m.id in (select membership_id from taken)`;
/** Lists of roles elsewhere: what will give the role later. */
const LISTS = [
  { table: 'data.invitations', column: 'role_ids', where: `status = 'pending'` },
  { table: 'data.workspaces', column: 'default_role_ids', where: 'true' },
  { table: 'data.scim_configs', column: 'default_role_ids', where: 'deleted_at is null' },
  { table: 'data.scim_mappings', column: 'role_ids', where: 'true' },
];
const PROMISED = LISTS.map(
  ({ table, column, where }) =>
    `exists (select 1 from ${table} where tenant_id = $1 and ${where} and $2 = any(${column}))`,
);
const REPLACE_PROMISES = LISTS.map(
  ({ table, column, where }) =>
    `update ${table} set ${column} = case when $3 = any(${column}) then array_remove(${column}, $2::uuid)
       else array_replace(${column}, $2::uuid, $3::uuid) end where tenant_id = $1 and ${where} and $2 = any(${column})`,
);
const IS_PROMISED = `select ${PROMISED.join(' or ')} as yes`;

@Injectable()
export class RolesRepository {
  constructor(private readonly database: Database) {}

  /** The tenant's own roles, by name. */
  list(): Promise<RoleRow[]> {
    return this.database.read<RoleRow>(statement(LIST, [currentTenant().id]));
  }

  async find(id: string): Promise<RoleRow | null> {
    const [row] = await this.database.read<RoleRow>(statement(FIND, [currentTenant().id, id]));
    return row ?? null;
  }

  /** As {@link find}, locked against changes, and against being given meanwhile. */
  async lock(transaction: Transaction, id: string): Promise<RoleRow | null> {
    const [row] = await transaction.query<RoleRow>(statement(LOCK, [currentTenant().id, id]));
    return row ?? null;
  }

  /** The tenant's own roles, to which nobody adds one until the transaction ends. */
  async all(transaction: Transaction): Promise<RoleRow[]> {
    transaction.write(statement(ONE_BY_ONE, [currentTenant().id]));
    return transaction.query<RoleRow>(statement(LIST, [currentTenant().id]));
  }

  /** Members of each of the roles that has ever had any. */
  memberCounts(ids: readonly string[]): Promise<Map<string, number>> {
    return memberCounts(this.database, 'role', ids);
  }

  async memberCount(id: string): Promise<number> {
    return (await this.memberCounts([id])).get(id) ?? 0;
  }

  /** Whether an invitation, a workspace or a connection to an identity provider will give the role. */
  async isPromised(transaction: Transaction, id: string): Promise<boolean> {
    const [row] = await transaction.query<{ yes: boolean }>(statement(IS_PROMISED, [currentTenant().id, id]));
    return row!.yes;
  }

  insert({ id, key, name, description, permissions, version, createdAt, updatedAt }: RoleRow): Statement {
    const values = [id, key, name, description, permissions, version, createdAt, updatedAt];
    return statement(INSERT, [currentTenant().id, ...values]);
  }

  save({ id, name, description, permissions, version, updatedAt }: RoleRow): Statement {
    return statement(SAVE, [currentTenant().id, id, name, description, permissions, version, updatedAt]);
  }

  delete(id: string): Statement {
    return statement(DELETE, [currentTenant().id, id]);
  }

  /** The statements that put another role in the place of one, wherever it is given or will be. */
  replace(id: string, replacement: string, at: string): Statement[] {
    const values = [currentTenant().id, id, replacement];
    const lists = REPLACE_PROMISES.map((text) => statement(text, values));
    return [statement(REPLACE, [...values, at]), ...lists];
  }
}
