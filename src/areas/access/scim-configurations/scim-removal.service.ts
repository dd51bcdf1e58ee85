import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { roleIdsOf } from '#libs/members/member.js';
import { Members } from '#libs/members/members.js';
import { SYSTEM_ROLE_IDS } from '#libs/auth/roles.js';
import { NIL_UUID } from '#libs/kernel/id.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { ConfigurationRecords } from './configuration-records.js';
import type { DeletedScimConfiguration } from './scim-configuration.requests.js';
import { revokeTokens } from './scim-tokens.js';

/** Users suspended per transaction. */
const BATCH = 100;

const NEXT_USERS = `select id from data.scim_users
  where tenant_id = $1 and config_id = $2 and active and deleted_at is null and id > $3 order by id limit ${BATCH}`;
const FIRST = NIL_UUID;

/** Grants through groups are revoked; default grants stay and become manual. */
const LET_GO = [
  `insert into data.role_assignments (tenant_id, membership_id, role_id, source, granted_at)
    select tenant_id, membership_id, role_id, 'manual', granted_at from data.role_assignments
    where tenant_id = $1 and source = 'scim:' || $2::text on conflict do nothing`,
  `insert into data.workspace_members (tenant_id, workspace_id, membership_id, workspace_role, source, added_at, added_by)
    select tenant_id, workspace_id, membership_id, workspace_role, 'manual', added_at, added_by from data.workspace_members
    where tenant_id = $1 and source = 'scim:' || $2::text on conflict do nothing`,
  `delete from data.role_assignments where tenant_id = $1 and (source = 'scim:' || $2::text
    or source in (select 'scim:' || $2::text || ':' || id from data.scim_groups where tenant_id = $1 and config_id = $2::uuid))`,
  `delete from data.workspace_members where tenant_id = $1 and (source = 'scim:' || $2::text
    or source in (select 'scim:' || $2::text || ':' || id from data.scim_groups where tenant_id = $1 and config_id = $2::uuid))`,
  `delete from data.scim_group_members where tenant_id = $1
    and group_id in (select id from data.scim_groups where tenant_id = $1 and config_id = $2::uuid)`,
];
const BURY_GROUPS = `update data.scim_groups set deleted_at = $3, updated_at = $3, version = version + 1
  where tenant_id = $1 and config_id = $2 and deleted_at is null`;
const UNMANAGE = `update data.scim_users set config_id = null where tenant_id = $1 and config_id = $2`;

/** Removes connections to identity providers. */
@Injectable()
export class ScimRemovalService {
  constructor(
    private readonly records: ConfigurationRecords,
    private readonly members: Members,
    private readonly database: Database,
  ) {}

  /**
   * Revokes the tokens of a configuration, suspends its users on request, and releases what it manages. Owners are not
   * suspended. If it fails halfway, the tokens are already revoked and the call can be repeated.
   * @throws Problem 404, 412.
   */
  async remove(id: string, deprovision: 'none' | 'suspend_users' = 'none'): Promise<DeletedScimConfiguration> {
    const { objects } = this.records;
    const at = objects.now();
    if (deprovision === 'suspend_users')
      await this.database.transaction(async (transaction) => {
        await objects.lock(transaction, id);
        transaction.write(revokeTokens(id, at));
      });
    const usersAffected = deprovision === 'suspend_users' ? await this.suspendAll(id) : 0;
    return this.database.transaction(async (transaction) => {
      const before = await objects.lock(transaction, id);
      transaction.write(revokeTokens(id, at));
      const own = [currentTenant().id, id];
      for (const text of LET_GO) transaction.write(statement(text, own));
      transaction.write(statement(BURY_GROUPS, [...own, at]));
      transaction.write(statement(UNMANAGE, own));
      const gone = { status: 'disabled' as const, groupRoleMap: [], deletedAt: at };
      this.records.change(transaction, before, gone, 'deleted');
      return { id, deleted: true as const, tokenRevoked: true as const, usersAffected };
    });
  }

  /** In batches with separate transactions, so that none blocks the tenant for long. */
  private async suspendAll(configId: string): Promise<number> {
    let suspended = 0;
    for (let after = FIRST; ;) {
      const ids = await this.database.read<{ id: string }>(
        statement(NEXT_USERS, [currentTenant().id, configId, after]),
      );
      const last = ids.at(-1);
      if (!last) return suspended;
      suspended += await this.suspend(ids.map(({ id }) => id));
      after = last.id;
    }
  }

  private suspend(ids: readonly string[]): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const found = await this.members.lockAll(transaction, ids);
      const active = found.filter(
        (member) => member.status === 'active' && !roleIdsOf(member).includes(SYSTEM_ROLE_IDS.owner),
      );
      const reason = 'The connection to the identity provider was removed.';
      for (const member of active)
        await this.members.change(transaction, member, { status: 'suspended', reason }, 'platform');
      return active.length;
    });
  }
}
