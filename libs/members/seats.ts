import { Injectable } from '@nestjs/common';
import { seatsOf } from '#libs/auth/plans.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { countOf } from './member-counts.js';
import { MembersRepository } from './members.repository.js';

// Expired invitations that a timer has not closed yet are still counted, so they are subtracted.
const USED = `select ${countOf('seat', '$1', '$1')} - (select count(*)::integer from data.invitations
  where tenant_id = $1 and status = 'pending' and expires_at <= $2::timestamptz) as used`;

/** Seats taken and seats of the plan; a limit of null means unlimited. */
export interface SeatCount {
  used: number;
  limit: number | null;
}

/** The seats of a tenant. Each active or invited member and each open invitation takes one. */
@Injectable()
export class Seats {
  constructor(
    private readonly repository: MembersRepository,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async read(): Promise<SeatCount> {
    const { id, plan } = currentTenant();
    const [row] = await this.database.read<{ used: number }>(statement(USED, [id, this.clock.now().toISOString()]));
    return { used: row!.used, limit: seatsOf(plan) };
  }

  /**
   * Checks that `count` seats are left, and locks the seats of the tenant until the transaction ends.
   * @throws Problem 409 `seat_limit`.
   */
  async take(transaction: Transaction, count = 1): Promise<void> {
    const { plan } = currentTenant();
    if (seatsOf(plan) === null) return;
    transaction.write(this.repository.oneByOne());
    const { used, limit } = await this.read();
    if (limit !== null && used + count > limit)
      throw new Problem('seat_limit', `The plan ${plan} has ${limit} seats, and ${used} are taken.`, {
        extensions: { plan, limit },
      });
  }
}
