import { Injectable } from '@nestjs/common';
import { currentPrincipal } from '#libs/auth/current-principal.js';
import { rankOf } from '#libs/auth/levels.js';
import { powersOf } from '#libs/auth/permission-risk.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Problem } from '#libs/kernel/problem.js';
import { Members } from '#libs/members/members.js';
import { isOwner, RoleBook } from '#libs/members/role-book.js';
import { GovernedObjects } from '#libs/resource/records/governed.js';
import type { Merge } from '#libs/resource/records/merge.js';
import { ResourceKit } from '#libs/resource/resource-kit.js';
import { currentScope } from '#libs/tenancy/scope.js';
import { GrantRules, type WantedGrant } from './grant-rules.js';
import { type ResourceGrant, resourceGrants, withPrincipal } from './resource-grant.js';
import { ResourceGrantsRepository } from './resource-grants.repository.js';

/** Grants, changes and revokes single exceptions inside an open transaction. */
@Injectable()
export class GrantChanges {
  readonly objects: GovernedObjects<ResourceGrant, ResourceGrant>;

  constructor(
    kit: ResourceKit,
    private readonly repository: ResourceGrantsRepository,
    private readonly rules: GrantRules,
    private readonly members: Members,
    private readonly roles: RoleBook,
  ) {
    this.objects = new GovernedObjects(resourceGrants, kit, { show: (rows) => rows.map(withPrincipal) }, repository);
    kit.registry.followMerges((transaction, merge) => this.follow(transaction, merge));
  }

  /**
   * Creates an exception, or changes the existing one with the same key, unless it is so already.
   * @throws Problem 400, 403.
   */
  async grant(
    transaction: Transaction,
    wanted: WantedGrant,
    place: string,
  ): Promise<{ row: ResourceGrant; created: boolean; changed: boolean }> {
    const now = this.objects.now();
    if (wanted.expiresAt !== null && wanted.expiresAt <= now)
      throw Problem.validation([
        { pointer: `${place}/expiresAt`, code: 'out_of_range', detail: 'The expiry must be in the future.' },
      ]);
    await this.rules.check(wanted, await this.rules.levelsAt(wanted, place), place);
    if (wanted.effect === 'deny') await this.refuseAgainst(transaction, wanted);
    const target = { ...wanted, workspaceId: wanted.objectId === null ? wanted.workspaceId : null };
    const known = await this.repository.idOf(transaction, target);
    const before = known === null ? null : (await this.repository.lock(transaction, known))!;
    if (before) await this.rules.refuseOwnRelief(before);
    const own = withPrincipal({ ...target, grantedBy: currentScope().actor, givenWith: powersOfCaller() });
    if (!before)
      return { row: this.objects.add(transaction, own, 'granted', notesOf(own)), created: true, changed: true };
    if (isSoAlready(before, own)) return { row: before, created: false, changed: false };
    const row = { ...before, ...own, updatedAt: now };
    const save = this.repository.replace(row);
    this.objects.record(transaction, {
      ...notesOf(row),
      event: 'granted',
      before: withPrincipal(before),
      after: row,
      save,
    });
    return { row, created: false, changed: true };
  }

  /** Revokes a locked exception. @throws Problem 403 for a caller who could not have created it. */
  async revoke(transaction: Transaction, row: ResourceGrant): Promise<void> {
    await this.rules.mayRevoke(row);
    await this.rules.refuseOwnRelief(row);
    this.remove(transaction, row);
  }

  /** Exceptions for a merged record hold for the one that remains. Of two for one principal, the stricter one stays. */
  private async follow(transaction: Transaction, { from, into }: Merge): Promise<void> {
    transaction.write(this.repository.oneByOne());
    const rows = await this.repository.lockAll(transaction, (add) => `(t.object_id in (${add(from)}, ${add(into)}))`);
    for (const row of rows.filter(({ objectId }) => objectId === from)) {
      const other = rows.find((each) => each.objectId === into && each.principalId === row.principalId);
      const stays = !other || isStricter(row, other);
      const gone = stays ? other : row;
      if (gone) this.remove(transaction, gone);
      if (!stays) continue;
      const after = withPrincipal({ ...row, objectId: into, updatedAt: this.objects.now() });
      const save = this.repository.replace(after);
      this.objects.record(transaction, {
        ...notesOf(after),
        event: 'granted',
        before: withPrincipal(row),
        after,
        save,
      });
    }
  }

  private remove(transaction: Transaction, row: ResourceGrant): void {
    const after = { ...withPrincipal(row), updatedAt: this.objects.now() };
    const save = this.repository.remove(row.id);
    this.objects.record(transaction, { ...notesOf(row), event: 'revoked', before: null, after, save });
  }

  /** Refuses denials against members above the caller. @throws Problem 403. */
  private async refuseAgainst(
    transaction: Transaction,
    { principalType, principalId: id }: WantedGrant,
  ): Promise<void> {
    if (principalType === 'role') return this.roles.refuseAgainstHolders(transaction, [id]);
    if (principalType !== 'membership') return;
    await this.roles.refuseAgainst(transaction, (await this.members.find(id))!); // checked by the rules
  }
}

/** A denial is stricter than an allowance, then a lower level, which allows less and denies more. */
function isStricter(a: ResourceGrant, b: ResourceGrant): boolean {
  return a.effect === b.effect ? rankOf(a.level) < rankOf(b.level) : a.effect === 'deny';
}

/** Whether an exception says the same, and was given with the same powers. */
function isSoAlready(before: ResourceGrant, own: Partial<ResourceGrant>): boolean {
  const told = ({ level, effect, expiresAt, reason, givenWith }: Partial<ResourceGrant>) =>
    JSON.stringify([level, effect, expiresAt, reason, givenWith]);
  return told(before) === told(own);
}

function powersOfCaller(): string[] {
  const caller = currentPrincipal();
  return powersOf((permission) => caller.permissions.reach(permission) === 'tenant', isOwner(caller));
}

/** Metadata of an exception's audit entry and event. The URL lists the exceptions of the same principal. */
function notesOf({ object, objectId, principalId, effect, level, reason }: WantedGrant) {
  const url = `${resourceGrants.path}?object=${object}&principalId=${principalId}`;
  return { about: objectId, reason, subject: { url, name: `${effect} ${level} on ${object}` } };
}
