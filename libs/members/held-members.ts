import { Injectable } from '@nestjs/common';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { lockDeletions } from '#libs/resource/retention/holds.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import type { Member } from './member.js';
import { Members } from './members.js';

const NAMED = `exists (select from data.legal_holds h
  where h.tenant_id = $1 and h.status = 'active' and h.scope -> 'membershipIds' ? m.id::text)`;
const IS_HELD = `select ${NAMED} as held from data.memberships m where m.tenant_id = $1 and m.id = $2`;
const HIDE = `update data.scim_users set deleted_at = $3 where tenant_id = $1 and id = $2`;
const RELEASED = `select m.id from data.memberships m
  join data.scim_users u on u.tenant_id = m.tenant_id and u.id = m.id and u.deleted_at is not null
  where m.tenant_id = $1 and m.deleted_at is null and not ${NAMED} order by m.id`;

/** Members whom an identity provider has deleted while a legal hold names them: they lose all access, and stay. */
@Injectable()
export class HeldMembers {
  constructor(private readonly members: Members) {}

  /** Whether an active hold names a member. No hold can be placed until the transaction ends. */
  async isHeld(transaction: Transaction, { id }: Member): Promise<boolean> {
    transaction.write(lockDeletions());
    const [row] = await transaction.query<{ held: boolean }>(statement(IS_HELD, [currentTenant().id, id]));
    return row?.held === true;
  }

  /** Ends all access of a locked member, whom SCIM no longer shows. @throws Problem 409 `last_owner`. */
  async keep(transaction: Transaction, member: Member, at: string): Promise<void> {
    await this.members.change(transaction, member, { status: 'suspended', endKeys: true }, 'scim');
    await this.members.endKeys(transaction, member);
    transaction.write(statement(HIDE, [currentTenant().id, member.id, at]));
  }

  /** Removes those whom no hold names any more. */
  async removeReleased(transaction: Transaction): Promise<void> {
    const rows = await transaction.query<{ id: string }>(statement(RELEASED, [currentTenant().id]));
    const ids = rows.map(({ id }) => id);
    for (const member of await this.members.lockAll(transaction, ids))
      await this.members.remove(transaction, member, 'The legal hold was released.', 'scim');
  }
}
