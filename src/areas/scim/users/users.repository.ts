import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { fold } from '#libs/scim/fold.js';
import { foldedDocument, type Resource } from '#libs/scim/resource.js';
import { USERS } from '#libs/scim/resource-schema.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** A user as it is kept. */
export interface UserRow {
  /** That of the membership. */
  id: string;
  /** Configuration that wrote it last; null as long as none has. */
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
// The tenant stands in a subquery for the planner's sake: see `matching` of the pages.
const FIND = `select ${COLUMNS} from data.scim_users u
  where u.tenant_id = (select $1::uuid) and u.id = any($2) and u.deleted_at is null`;
const ID_OF_NAME = `select id from data.scim_users where tenant_id = $1 and user_name_key = $2 and deleted_at is null`;
const GROUPS = `select p.user_id as "userId", g.id as value, g.display_name as display
  from data.scim_group_members p join data.scim_groups g on g.tenant_id = p.tenant_id and g.id = p.group_id
  where p.tenant_id = $1 and p.user_id = any($2) and g.deleted_at is null order by g.seq`;
const SAVE = `update data.scim_users set config_id = $3, user_name_key = $4, external_id = $5, display_name_key = $6,
    data = $7, keys = $8, version = $9, updated_at = $10, created_at = $11 where tenant_id = $1 and id = $2`;
const LEAVE_GROUPS = `delete from data.scim_group_members where tenant_id = $1 and user_id = $2`;

/** Users of the tenant in scope. */
@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** The users with these ids, by id; those that are gone are missing. Part of the open transaction, if there is one. */
  async find(ids: readonly string[]): Promise<Map<string, UserRow>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.read<UserRow>(statement(FIND, [currentTenant().id, ids]));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Id of the user with a name, in any case; null when there is none. */
  async idOfName(transaction: Transaction, userName: string): Promise<string | null> {
    const [row] = await transaction.query<{ id: string }>(statement(ID_OF_NAME, [currentTenant().id, fold(userName)]));
    return row?.id ?? null;
  }

  /** Groups of users, by user, in the order in which the groups came. */
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
      fold(userName),
      externalId ?? null,
      displayName === undefined ? null : fold(displayName),
      JSON.stringify(data),
      JSON.stringify(foldedDocument(USERS, data)),
      version,
      updatedAt,
      createdAt,
    ]);
  }

  /** The statement that takes a user out of all groups. */
  leaveGroups(id: string): Statement {
    return statement(LEAVE_GROUPS, [currentTenant().id, id]);
  }
}
