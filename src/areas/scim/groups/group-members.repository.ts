import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { isUuid } from '#libs/kernel/id.js';
import type { Filter } from '#libs/scim-language/filter.js';
import { compileElementFilter } from '#libs/scim-language/filter-sql.js';
import { GROUPS } from '#libs/scim-language/resource-schema.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { GROUP_TABLE, MEMBERS } from './group-table.js';

// The tenant is in a subquery for the sake of the planner: see `matching` in page-statements.ts.
const KNOWN = `select u.id from data.scim_users u where u.tenant_id = (select $1::uuid) and u.id = any($2) and u.deleted_at is null`;
const JOIN = `
  insert into data.scim_group_members (tenant_id, group_id, user_id) select $1, $2, unnest($3::uuid[])
  on conflict do nothing returning user_id as id`;
const REMOVE = `delete from data.scim_group_members where tenant_id = (select $1::uuid) and group_id = $2 and user_id = any($3)
  returning user_id as id`;
const KEEP = `delete from data.scim_group_members where tenant_id = $1 and group_id = $2 and user_id <> all($3)
  returning user_id as id`;
const MEMBER_PATH = GROUPS.resolve('members')!;

interface Id {
  id: string;
}

/** Group members as pairs: the cost of a statement depends on the change, not on the size of the group. */
@Injectable()
export class GroupMembersRepository {
  /** The ids that belong to existing users. */
  known(transaction: Transaction, ids: readonly string[]): Promise<string[]> {
    return this.idsOf(transaction, statement(KNOWN, [currentTenant().id, ids.filter(isUuid)]));
  }

  /** Adds users to a group; returns the ids of new members. */
  join(transaction: Transaction, groupId: string, ids: readonly string[]): Promise<string[]> {
    return this.idsOf(transaction, statement(JOIN, [currentTenant().id, groupId, ids]));
  }

  /** Removes users from a group; returns the ids of removed members. */
  remove(transaction: Transaction, groupId: string, ids: readonly string[]): Promise<string[]> {
    return this.idsOf(transaction, statement(REMOVE, [currentTenant().id, groupId, ids.filter(isUuid)]));
  }

  /** Removes all other members from a group; returns their ids. */
  keep(transaction: Transaction, groupId: string, ids: readonly string[]): Promise<string[]> {
    return this.idsOf(transaction, statement(KEEP, [currentTenant().id, groupId, ids.filter(isUuid)]));
  }

  /** Removes the members that match a filter; returns their ids. @throws ScimError `invalidFilter`. */
  removeMatching(transaction: Transaction, groupId: string, filter: Filter): Promise<string[]> {
    const values: unknown[] = [currentTenant().id, groupId];
    const condition = compileElementFilter(MEMBER_PATH, filter, GROUP_TABLE, values);
    const text = `delete from data.scim_group_members where tenant_id = $1 and group_id = $2 and user_id in (
      select p.user_id from ${MEMBERS.from} where p.tenant_id = $1 and p.group_id = $2 and ${condition})
      returning user_id as id`;
    return this.idsOf(transaction, { text, values });
  }

  private async idsOf(transaction: Transaction, query: Parameters<Transaction['query']>[0]): Promise<string[]> {
    return (await transaction.query<Id>(query)).map(({ id }) => id);
  }
}
