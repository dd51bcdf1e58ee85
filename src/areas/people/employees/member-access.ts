import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database/transaction.js';
import type { Member } from '#libs/members/member.js';
import { hasSeat } from '#libs/members/member-guards.js';
import { Members } from '#libs/members/members.js';
import { RoleBook } from '#libs/members/role-book.js';

/** Platform access that depends on employment. */
@Injectable()
export class MemberAccess {
  constructor(
    private readonly members: Members,
    private readonly roles: RoleBook,
  ) {}

  /**
   * Suspends a membership: its sessions end and its keys are refused from the next request; permanently with `endKeys`.
   * @throws Problem 403 if the member outranks the caller, 409 `last_owner`.
   */
  async remove(transaction: Transaction, membershipId: string, { endKeys }: { endKeys: boolean }): Promise<void> {
    const member = await this.find(transaction, membershipId);
    if (!member) return;
    if (hasSeat(member.status))
      await this.members.change(transaction, member, { status: 'suspended', endKeys }, 'platform');
    else if (endKeys) await this.members.endKeys(transaction, member);
  }

  /** Whether the caller may end access that the platform ends later. @throws Problem 403 as {@link remove}. */
  async requireRemovable(transaction: Transaction, membershipId: string): Promise<void> {
    await this.find(transaction, membershipId);
  }

  /**
   * Resumes a suspended membership. Revoked keys stay revoked.
   * @throws Problem 403 as {@link remove}, 409 `seat_limit`.
   */
  async restore(transaction: Transaction, membershipId: string): Promise<void> {
    const member = await this.find(transaction, membershipId);
    if (member?.status === 'suspended')
      await this.members.change(transaction, member, { status: 'active' }, 'platform');
  }

  private async find(transaction: Transaction, id: string): Promise<Member | undefined> {
    const [member] = await this.members.lockAll(transaction, [id]);
    if (member) await this.roles.refuseAgainst(transaction, member);
    return member;
  }
}
