import { Injectable } from '@nestjs/common';
import { byIds } from '#libs/database/by-ids.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { comparisonKey } from '#libs/kernel/domain.js';
import { foldedDocument, type Resource } from '#libs/scim-language/resource.js';
import { GROUPS } from '#libs/scim-language/resource-schema.js';
import { currentTenant } from '#libs/tenancy/scope.js';

/** A group as stored. */
export interface GroupRow {
  id: string;
  /** Configuration that created the group; its mapping applies. */
  configId: string;
  data: Resource;
  version: number;
  createdAt: string;
  updatedAt: string;
}

/** A user that belongs to a group. */
export interface GroupMember {
  value: string;
  display: string;
}

const COLUMNS = `g.id, g.config_id as "configId", g.data, g.version, g.created_at as "createdAt",
  g.updated_at as "updatedAt"`;
const FIND = `select ${COLUMNS} from ${byIds('data.scim_groups', 'g', '*')}`;
const LOCK = `select ${COLUMNS} from data.scim_groups g
  where g.tenant_id = $1 and g.id = $2 and g.deleted_at is null for update`;
const INSERT = `
  insert into data.scim_groups (tenant_id, id, config_id, display_name, display_name_key, external_id, data, keys, version,
    created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;
const UPDATE = `
  update data.scim_groups set display_name = $3, display_name_key = $4, external_id = $5, data = $6, keys = $7,
    version = $8, updated_at = $9 where tenant_id = $1 and id = $2`;
const DELETE = `update data.scim_groups set deleted_at = $4, updated_at = $4, version = $3 where tenant_id = $1 and id = $2`;
// Two steps, each by primary key: right after a first synchronisation, the planner has no statistics for these tables
// and chooses joins that practically never finish.
const PAIRS = `select group_id as "groupId", user_id as "userId" from data.scim_group_members
  where tenant_id = $1 and group_id = any($2) order by group_id, user_id limit $3`;
const DISPLAYS = `select id, coalesce(data->>'displayName', data->>'userName') as display from data.scim_users
  where tenant_id = $1 and id = any($2) and deleted_at is null`;

interface Pair {
  groupId: string;
  userId: string;
}

interface Named {
  id: string;
  display: string;
}

/** Groups of the tenant in scope. */
@Injectable()
export class GroupsRepository {
  constructor(private readonly database: Database) {}

  /** The existing groups among these ids, by id. Uses the open transaction, if there is one. */
  async find(ids: readonly string[]): Promise<Map<string, GroupRow>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.read<GroupRow>(statement(FIND, [currentTenant().id, ids]));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Locks the group until the transaction ends; null if it does not exist. */
  async lock(transaction: Transaction, id: string): Promise<GroupRow | null> {
    const [row] = await transaction.query<GroupRow>(statement(LOCK, [currentTenant().id, id]));
    return row ?? null;
  }

  /** At most `limit` group members in total, by group, sorted by id; null for all. */
  async membersOf(ids: readonly string[], limit: number | null): Promise<Map<string, GroupMember[]>> {
    if (ids.length === 0) return new Map();
    const tenantId = currentTenant().id;
    const pairs = await this.database.read<Pair>(statement(PAIRS, [tenantId, ids, limit]));
    const userIds = [...new Set(pairs.map(({ userId }) => userId))];
    const users = await this.database.read<Named>(statement(DISPLAYS, [tenantId, userIds]));
    const displays = new Map(users.map(({ id, display }) => [id, display]));
    const members = Map.groupBy(pairs, ({ groupId }) => groupId);
    return new Map([...members].map(([groupId, ofGroup]) => [groupId, named(ofGroup, displays)]));
  }

  insert(row: GroupRow): Statement {
    const { id, configId, version, createdAt, updatedAt } = row;
    return statement(INSERT, [currentTenant().id, id, configId, ...contentOf(row), version, createdAt, updatedAt]);
  }

  update(row: GroupRow): Statement {
    return statement(UPDATE, [currentTenant().id, row.id, ...contentOf(row), row.version, row.updatedAt]);
  }

  delete({ id, version, updatedAt }: GroupRow): Statement {
    return statement(DELETE, [currentTenant().id, id, version, updatedAt]);
  }
}

/** Excludes users deleted in the meantime. */
function named(pairs: readonly Pair[], displays: ReadonlyMap<string, string>): GroupMember[] {
  return pairs.flatMap(({ userId }) => {
    const display = displays.get(userId);
    return display === undefined ? [] : [{ value: userId, display }];
  });
}

/** displayName and its key, externalId, the resource and its keys. */
function contentOf({ data }: GroupRow): unknown[] {
  const { displayName, externalId } = data as { displayName: string; externalId?: string };
  const keys = foldedDocument(GROUPS, data);
  return [displayName, comparisonKey(displayName), externalId ?? null, JSON.stringify(data), JSON.stringify(keys)];
}
