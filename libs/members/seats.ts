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

// Of the open invitations that are counted, those have no seat any more that a timer is about to close.
const USED = `select ${countOf('seat', '$1', '$1')} - (select count(*)::integer from data.invitations
  where tenant_id = $1 and status = 'pending' and expires_at <= $2::timestamptz) as used`;

/** Seats taken and seats that the plan has; a limit of null is none. */
export interface SeatCount {
  used: number;
  limit: number | null;
}

/** The seats of a tenant: each member who is active or about to be, and each open invitation, takes one. */
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
   * Makes sure that there are so many seats left for what the transaction adds next. Nobody else takes one until it ends.
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
