import { Injectable } from '@nestjs/common';
import { byIds } from '#libs/database/by-ids.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { comparisonKey } from '#libs/kernel/domain.js';
import { foldedDocument, type Resource } from '#libs/scim-language/resource.js';
import { USERS } from '#libs/scim-language/resource-schema.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** A user as stored. */
export interface UserRow {
  /** Same as the id of the membership. */
  id: string;
  /** Configuration that last wrote the user; null if none has. */
  configId: string | null;
  active: boolean;
  data: Resource;
  version: number;
  createdAt: string;
  updatedAt: string;
}

/** A group that a user belongs to. */
export interface GroupOfUser {
  value: string;
  display: string;
}

const COLUMNS = `u.id, u.config_id as "configId", u.active, u.data, u.version, u.created_at as "createdAt",
  u.updated_at as "updatedAt"`;
const FIND = `select ${COLUMNS} from ${byIds('data.scim_users', 'u', '*')}`;
const ID_OF_NAME = `select id from data.scim_users where tenant_id = $1 and user_name_key = $2 and deleted_at is null`;
const SHOW_HELD = `update data.scim_users u set deleted_at = null from data.memberships m
  where m.tenant_id = u.tenant_id and m.id = u.id and m.deleted_at is null and u.tenant_id = $1 and u.user_name_key = $2
    and u.deleted_at is not null returning u.id`;
// In steps, like byIds(): for a join, PostgreSQL might start with the groups and scan the members of each.
const GROUPS = `select u.id as "userId", g.id as value, g.display_name as display from unnest($2::uuid[]) u (id)
  cross join lateral (
    select group_id from data.scim_group_members where tenant_id = (select $1::uuid) and user_id = u.id offset 0) p
  cross join lateral (
    select id, display_name, seq from data.scim_groups
    where tenant_id = (select $1::uuid) and id = p.group_id and deleted_at is null limit 1) g
  order by g.seq`;
const SAVE = `update data.scim_users set config_id = $3, user_name_key = $4, external_id = $5, display_name_key = $6,
    data = $7, keys = $8, version = $9, updated_at = $10, created_at = $11 where tenant_id = $1 and id = $2`;
const LEAVE_GROUPS = `delete from data.scim_group_members where tenant_id = $1 and user_id = $2`;

/** Users of the tenant in scope. */
@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** The existing users among these ids, by id. Uses the open transaction, if there is one. */
  async find(ids: readonly string[]): Promise<Map<string, UserRow>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.read<UserRow>(statement(FIND, [currentTenant().id, ids]));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Id of the user with a name, case-insensitive; null if there is none. */
  async idOfName(transaction: Transaction, userName: string): Promise<string | null> {
    const [row] = await transaction.query<{ id: string }>(
      statement(ID_OF_NAME, [currentTenant().id, comparisonKey(userName)]),
    );
    return row?.id ?? null;
  }

  /** Shows a deleted user again whom a legal hold has kept, and returns the id; null if there is none with the name. */
  async showHeld(transaction: Transaction, userName: string): Promise<string | null> {
    const [row] = await transaction.query<{ id: string }>(
      statement(SHOW_HELD, [currentTenant().id, comparisonKey(userName)]),
    );
    return row?.id ?? null;
  }

  /** Groups of users, by user, in creation order of the groups. */
  async groupsOf(ids: readonly string[]): Promise<Map<string, GroupOfUser[]>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.read<GroupOfUser & { userId: string }>(
      statement(GROUPS, [currentTenant().id, ids]),
    );
    const byUser = Map.groupBy(rows, ({ userId }) => userId);
    return new Map([...byUser].map(([id, groups]) => [id, groups.map(({ value, display }) => ({ value, display }))]));
  }

  save({ id, configId, data, version, updatedAt, createdAt }: UserRow): Statement {
    const { userName, externalId, displayName } = data as {
      userName: string;
      externalId?: string;
      displayName?: string;
    };
    return statement(SAVE, [
      currentTenant().id,
      id,
      configId,
      comparisonKey(userName),
      externalId ?? null,
      displayName === undefined ? null : comparisonKey(displayName),
      JSON.stringify(data),
      JSON.stringify(foldedDocument(USERS, data)),
      version,
      updatedAt,
      createdAt,
    ]);
  }

  /** The statement that removes a user from all groups. */
  leaveGroups(id: string): Statement {
    return statement(LEAVE_GROUPS, [currentTenant().id, id]);
  }
}
