import { Injectable } from '@nestjs/common';
import { requireProtected } from '#libs/auth/current-principal.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import type { PendingApproval } from '#libs/resource/gates/approval.parts.js';
import { gateDenied, Gates, type WaitingAction } from '#libs/resource/gates/gates.js';
import { rehearse } from '#libs/resource/records/rehearsal.js';
import type { Role } from './role-book.js';

export const PRIVILEGED_GATE = 'role.grant_privileged';

type Roles = readonly Pick<Role, 'isPrivileged'>[];
type Facts = () => Record<string, unknown> | Promise<Record<string, unknown>>;

/**
 * Checks every operation that grants or promises a role or changes its permissions. Privileged roles require a
 * protected operation and pass the gate `role.grant_privileged`; other roles are let through. Whether the caller may
 * grant them is checked by `RoleBook`.
 */
@Injectable()
export class RoleDoor {
  constructor(
    private readonly gates: Gates,
    private readonly clock: Clock,
  ) {}

  /**
   * Parks an action for approval; null when it may be done at once.
   * @param roles affected by the action
   * @throws Problem 403 `step_up_required` or `gate_denied`, 409 `approval_pending`, and as `work`.
   */
  async hold(
    transaction: Transaction,
    roles: Roles,
    { facts, ...order }: Omit<WaitingAction, 'gate'> & { facts: Facts },
    work: () => Promise<unknown>,
  ): Promise<PendingApproval | null> {
    const gate = await this.gateOf(roles, facts);
    if (!gate) return null;
    await rehearse(transaction, work);
    const { id, status } = await this.gates.park(transaction, { gate, ...order });
    return { id, status };
  }

  /** As {@link hold}, for actions that cannot be parked; `detail` names the alternative. @throws Problem 403. */
  async refuse(roles: Roles, facts: Facts, detail: string): Promise<void> {
    if (await this.gateOf(roles, facts)) throw gateDenied(PRIVILEGED_GATE, detail);
  }

  private async gateOf(roles: Roles, facts: Facts) {
    if (!roles.some(({ isPrivileged }) => isPrivileged)) return null;
    requireProtected(this.clock.nowMs());
    return this.gates.holding(PRIVILEGED_GATE, facts);
  }
}
