import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Members } from '#libs/members/members.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { groupSource } from './grant-source.js';
import { differing, GROUPS_OF_KEYS, giveAll, GRANTS_OF_GROUP, LOCK_MAPPING } from './grant-statements.js';

/** Up to this number, each member has a separate audit entry and event; beyond it, one entry covers all members. */
const FEW = 500;

/** Grants of a mapping to the members of a group. */
interface GroupGrants {
  configId: string;
  displayName: string;
  /** Sorted; deleted roles are omitted. */
  roleIds: string[];
  workspaceIds: string[];
}

interface Differing {
  id: string;
  isMember: boolean;
}

/**
 * Applies the mapping of groups to their members: adds missing grants and revokes the rest, in the caller's open
 * transaction. Grants from other sources are never changed.
 */
@Injectable()
export class ScimGrantsService {
  constructor(
    private readonly members: Members,
    private readonly clock: Clock,
  ) {}

  /** Call after a change of the members, name or mapping of a group; `userIds` null for all members. */
  async ofGroup(transaction: Transaction, groupId: string, userIds: readonly string[] | null): Promise<void> {
    const tenantId = currentTenant().id;
    await transaction.query(statement(LOCK_MAPPING, [tenantId, groupId]));
    const [grants] = await transaction.query<GroupGrants>(statement(GRANTS_OF_GROUP, [tenantId, groupId]));
    if (!grants) return;
    const source = groupSource(grants.configId, groupId);
    const query = differing(tenantId, groupId, source, grants, userIds, FEW + 1);
    const different = await transaction.query<Differing>(query);
    if (different.length > FEW) return this.together(transaction, groupId, source, grants);
    await this.oneByOne(transaction, source, grants, different);
  }

  /** Call after a change of a configuration's mapping for groups with these names (case-folded). */
  async ofNames(transaction: Transaction, configId: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const groups = await transaction.query<{ id: string }>(
      statement(GROUPS_OF_KEYS, [currentTenant().id, configId, keys]),
    );
    for (const { id } of groups) await this.ofGroup(transaction, id, null);
  }

  private async oneByOne(
    transaction: Transaction,
    source: string,
    { roleIds, workspaceIds }: GroupGrants,
    different: readonly Differing[],
  ): Promise<void> {
    const isMember = new Map(different.map((each) => [each.id, each.isMember]));
    for (const member of await this.members.lockAll(transaction, [...isMember.keys()])) {
      const stays = isMember.get(member.id) === true;
      await this.members.change(
        transaction,
        member,
        {
          roles: { source, roleIds: stays ? roleIds : [] },
          workspaces: { source, workspaceIds: stays ? workspaceIds : [] },
        },
        'scim',
      );
    }
  }

  private async together(
    transaction: Transaction,
    groupId: string,
    source: string,
    { displayName, roleIds, workspaceIds }: GroupGrants,
  ): Promise<void> {
    const at = this.clock.now().toISOString();
    const scope = currentScope();
    for (const each of giveAll(currentTenant().id, groupId, source, { roleIds, workspaceIds, at, by: scope.actor }))
      transaction.write(each);
    const target = { type: 'scim.group', id: groupId, name: displayName };
    const changes = { roleIds: { from: null, to: roleIds }, workspaceIds: { from: null, to: workspaceIds } };
    const fact = {
      action: 'scim.group.grants_applied',
      target,
      changes,
      outcome: 'success',
      riskLevel: 'high',
    } as const;
    transaction.write(auditStatement(scope, fact, at));
  }
}
