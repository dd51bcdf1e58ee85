import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { Database } from '#libs/database/database.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { LedgerCheck, type Mismatch } from '#src/areas/ai/budgets/ledger-check.js';
import { type NewReservation, type Settlement, Spending } from '#src/areas/ai/budgets/spending.js';
import { asAdmin } from './database.js';
import type { TestPlatform, TestTenant } from './platform.js';

export interface Counters {
  kind: string;
  subjectId: string;
  held: number;
  spent: number;
  overrun: number;
  excess: number;
}

/** Spending of one tenant without jobs. Each step is a separate transaction. */
export class Purse {
  private readonly spending = this.platform.app.get(Spending);
  private readonly database = this.platform.app.get(Database);

  constructor(
    private readonly platform: TestPlatform,
    readonly tenant: TestTenant,
    private readonly plan = 'enterprise',
  ) {}

  /** Reserves an amount for a new job; returns the id of the reservation. @throws Problem 429. */
  async reserve(micros: number, more: Partial<NewReservation> = {}): Promise<string> {
    const id = uuidv7();
    const reservation: NewReservation = {
      id,
      jobId: uuidv7(),
      micros,
      kind: 'text.generate',
      provider: 'local',
      model: 'local-1',
      workspaceId: null,
      memberId: null,
      apiKeyId: null,
      agentId: null,
      agentDayLimitMicros: null,
      expiresAt: new Date(this.platform.clock.nowMs() + 3_600_000).toISOString(),
      ...more,
    };
    await this.run(() =>
      this.spending.admitted(() =>
        this.database.transaction((transaction) => this.spending.reserve(transaction, reservation)),
      ),
    );
    return reservation.id;
  }

  /** As {@link reserve}; null when a budget refuses. */
  async tryReserve(micros: number, more: Partial<NewReservation> = {}): Promise<string | null> {
    try {
      return await this.reserve(micros, more);
    } catch (error) {
      if (error instanceof Problem && error.code === 'budget_exhausted') return null;
      throw error;
    }
  }

  settle(reservationId: string, micros: number, more: Partial<Settlement> = {}) {
    const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 0 };
    const settlement = { reservationId, callId: uuidv7(), micros, usage, doubtful: false, ...more };
    return this.run(() => this.database.transaction((transaction) => this.spending.settle(transaction, settlement)));
  }

  lower(reservationId: string, toMicros: number): Promise<void> {
    return this.run(() =>
      this.database.transaction((transaction) => this.spending.lower(transaction, reservationId, toMicros)),
    );
  }

  release(reservationId: string): Promise<void> {
    return this.run(() =>
      this.database.transaction((transaction) => this.spending.release(transaction, reservationId)),
    );
  }

  find(reservationId: string) {
    return this.run(() => this.database.transaction((transaction) => this.spending.find(transaction, reservationId)));
  }

  /** Inconsistencies between accounts, reservations and ledger. */
  mismatches(): Promise<Mismatch[]> {
    return this.run(() => this.platform.app.get(LedgerCheck).mismatches('2000-01-01T00:00:00.000Z'));
  }

  /** The accounts as stored. */
  async counters(): Promise<Counters[]> {
    const rows = await asAdmin<Record<string, string>>(
      this.platform.database,
      `select kind, subject_id, held_micros, spent_micros, overrun_micros, excess_micros from data.ai_accounts
       where tenant_id = $1 order by kind, id`,
      [this.tenant.id],
    );
    return rows.map((row) => ({
      kind: row['kind']!,
      subjectId: row['subject_id']!,
      held: Number(row['held_micros']),
      spent: Number(row['spent_micros']),
      overrun: Number(row['overrun_micros']),
      excess: Number(row['excess_micros']),
    }));
  }

  async budget(body: Record<string, unknown>): Promise<string> {
    const answer = await this.tenant.api.post<{ id: string }>('/api/ai/budgets', {
      scope: { type: 'tenant' },
      period: 'month',
      ...body,
    });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.id;
  }

  private run<T>(work: () => Promise<T>): Promise<T> {
    const { id, slug } = this.tenant;
    return runAsSystem({ id, slug, plan: this.plan, currency: 'USD', epoch: '1' }, 'test', uuidv7(), work);
  }
}
