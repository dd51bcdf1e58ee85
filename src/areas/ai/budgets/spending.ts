import { Injectable } from '@nestjs/common';
import type { ModelUsage } from '#libs/ai/provider.js';
import { statement } from '#libs/database/statement.js';
import type { Transaction } from '#libs/database/transaction.js';
import { monthlyAiMicrosOf } from '#libs/auth/plans.js';
import { Clock } from '#libs/kernel/clock.js';
import { currentTenant, isTransactionOpen } from '#libs/tenancy/scope.js';
import { BudgetAlerts } from './budget-alerts.js';
import { BudgetPeriods } from './budget-periods.js';
import { refusalOf } from './budget-refusal.js';

const RESERVE = `select data.ai_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const SETTLE = `select replayed, overrun as "overrunMicros" from data.ai_settle($1, $2, $3, $4, $5, $6)`;
const LOWER = `select data.ai_lower($1, $2, $3)`;
const RELEASE = `select data.ai_release($1, $2)`;
const FIND = `select state, reserved_micros as "reservedMicros", held_micros as "heldMicros",
  spent_micros as "spentMicros" from data.ai_reservations where tenant_id = $1 and id = $2`;

/** Everything that a job's spending counts towards. */
export interface SpendingScope {
  kind: string;
  provider: string;
  model: string;
  workspaceId: string | null;
  memberId: string | null;
  /** Lineage of the key, which survives rotation. */
  apiKeyId: string | null;
  agentId: string | null;
}

export interface NewReservation extends SpendingScope {
  id: string;
  jobId: string;
  /** Maximum cost of the job, micros. */
  micros: number;
  /** Daily limit of the agent; null if there is none. */
  agentDayLimitMicros: number | null;
  /** Latest instant at which the job can run. A reservation that remains a minute later is released. */
  expiresAt: string;
}

export interface Settlement {
  reservationId: string;
  /** A call is booked once, however often it is settled. */
  callId: string;
  micros: number;
  usage: ModelUsage;
  /** It is unknown whether the provider has charged for the call; its maximum cost is booked. */
  doubtful: boolean;
}

export interface Reservation {
  state: 'open' | 'released';
  reservedMicros: number;
  /** The remaining reserved amount. */
  heldMicros: number;
  spentMicros: number;
}

/**
 * Spending of AI jobs: reserved before anything is sent, settled per call, released at the end. Each step is one
 * statement in the caller's transaction and affects all applicable accounts or none. Lock order: the job's row first.
 * `Source:` ADR 0023.
 */
@Injectable()
export class Spending {
  constructor(
    private readonly clock: Clock,
    private readonly periods: BudgetPeriods,
    private readonly alerts: BudgetAlerts,
  ) {}

  /**
   * Runs a unit of work that reserves. Must wrap the outermost transaction: if a budget rejects the reservation, that
   * transaction is rolled back before the rejection is reported.
   * @throws Problem 429 `budget_exhausted`.
   */
  async admitted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal || isTransactionOpen()) throw error;
      throw await this.alerts.refused(refusal);
    }
  }

  /**
   * Reserves an amount on every applicable account. A rejection occurs when the statement is sent; see
   * {@link admitted}.
   */
  async reserve(transaction: Transaction, reservation: NewReservation): Promise<void> {
    const { id, jobId, micros, agentDayLimitMicros, expiresAt, ...scope } = reservation;
    const counted = { ...scope, modelKey: `${scope.provider}/${scope.model}` };
    const planLimit = monthlyAiMicrosOf(currentTenant().plan);
    const values = [id, jobId, micros, JSON.stringify(counted), planLimit, agentDayLimitMicros];
    transaction.write(statement(RESERVE, [...values, await this.periods.today(), this.now(), expiresAt]));
  }

  /**
   * Books the cost of a call, even beyond the reservation. Sends the statement at once and locks the accounts until the
   * transaction ends, so nothing slow should follow.
   */
  async settle(
    transaction: Transaction,
    { reservationId, callId, micros, usage, doubtful }: Settlement,
  ): Promise<{ replayed: boolean; overrunMicros: number }> {
    const { inputTokens, outputTokens, cachedTokens } = usage;
    const tokens = [inputTokens, outputTokens, cachedTokens];
    const values = [reservationId, callId, micros, tokens, doubtful, this.now()];
    const [booked, crossed] = await transaction.queryAll([
      statement(SETTLE, values),
      this.alerts.crossedByReservation(reservationId),
    ]);
    await this.alerts.tell(transaction, crossed!);
    return booked![0] as { replayed: boolean; overrunMicros: number };
  }

  /** Reduces a reservation to `toMicros`, including what is spent. */
  async lower(transaction: Transaction, reservationId: string, toMicros: number): Promise<void> {
    transaction.write(statement(LOWER, [reservationId, toMicros, this.now()]));
  }

  /** Releases the rest of a reservation. */
  async release(transaction: Transaction, reservationId: string): Promise<void> {
    transaction.write(statement(RELEASE, [reservationId, this.now()]));
  }

  async find(transaction: Transaction, reservationId: string): Promise<Reservation | null> {
    const [row] = await transaction.query<Reservation>(statement(FIND, [currentTenant().id, reservationId]));
    return row ?? null;
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}
