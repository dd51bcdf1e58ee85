import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { powersOf } from '#libs/auth/permission-risk.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { Members } from '#libs/members/members.js';
import { isOwner, RoleBook } from '#libs/members/role-book.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { GrantRecords } from './grant-records.js';
import { GrantRules, type WantedGrant } from './grant-rules.js';
import type { ResourceGrant } from './resource-grant.entity.js';
import { ResourceGrantsRepository } from './resource-grants.repository.js';

/** Making, changing and taking back single exceptions, inside an open transaction. */
@Injectable()
export class GrantChanges {
  constructor(
    private readonly repository: ResourceGrantsRepository,
    private readonly rules: GrantRules,
    private readonly records: GrantRecords,
    private readonly members: Members,
    private readonly roles: RoleBook,
    private readonly clock: Clock,
  ) {}

  /** Makes an exception, or changes the one that there is for the same. @throws Problem 400, 403. */
  async grant(
    transaction: Transaction,
    wanted: WantedGrant,
    place: string,
  ): Promise<{ row: ResourceGrant; created: boolean }> {
    const now = this.clock.now().toISOString();
    if (wanted.expiresAt !== null && wanted.expiresAt <= now)
      throw Problem.validation([
        { pointer: `${place}/expiresAt`, code: 'out_of_range', detail: 'The end must be in the future.' },
      ]);
    await this.rules.check(wanted, await this.rules.levelsAt(wanted, place), place);
    if (wanted.effect === 'deny') await this.refuseAgainst(transaction, wanted);
    const target = { ...wanted, workspaceId: wanted.objectId === null ? wanted.workspaceId : null };
    const known = await this.repository.idOf(transaction, target);
    const before = known === null ? null : (await this.repository.lock(transaction, known))!;
    if (before) this.rules.refuseOwnRelief(before);
    const row: ResourceGrant = {
      ...target,
      tenantId: currentTenant().id,
      id: before?.id ?? uuidv7(),
      grantedBy: currentScope().actor,
      givenWith: powersOfCaller(),
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
    const save = before ? this.repository.replace(row) : this.repository.insert(row);
    this.records.add(transaction, 'granted', { save, before, after: row, at: now });
    return { row, created: before === null };
  }

  /** Takes a locked exception back. @throws Problem 403 for somebody who could not have made it. */
  async revoke(transaction: Transaction, row: ResourceGrant): Promise<void> {
    await this.rules.mayRevoke(row);
    this.rules.refuseOwnRelief(row);
    const at = this.clock.now().toISOString();
    this.records.add(transaction, 'revoked', { save: this.repository.delete(row.id), before: null, after: row, at });
  }

  /** Nobody takes from somebody above them what these may do. @throws Problem 403. */
  private async refuseAgainst(
    transaction: Transaction,
    { principalType, principalId: id }: WantedGrant,
  ): Promise<void> {
    if (principalType === 'role') return this.roles.refuseAgainstHolders(transaction, [id]);
    if (principalType !== 'membership') return;
    await this.roles.refuseAgainst(transaction, (await this.members.find(id))!); // the rules know them
  }
}

function powersOfCaller(): string[] {
  const caller = currentPrincipal();
  return powersOf((permission) => caller.permissions.reach(permission) === 'tenant', isOwner(caller));
}
