import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { isToldAlready } from '#libs/database/failures.js';
import { statement, type Statement } from '#libs/database/statement.js';
import type { Row } from '#libs/database/flights/flight.js';
import type { Transaction } from '#libs/database/transaction.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { Commits } from '#libs/resource/records/commits.js';
import { ResourceRegistry } from '#libs/resource/resource-registry.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { ALERT_EXAMPLE, BudgetAlertFacts } from './budget-alert.dto.js';
import { BudgetPeriods } from './budget-periods.js';
import { type AccountState, type Refusal, remainingOf } from './budget-refusal.js';
import { budgets } from './budget.js';

const STATE = `a.id, a.kind, a.subject_id as "subjectId", b.scope_type as "scopeType", b.scope_id as "scopeId", a.period,
  a.period_start as "periodStart", a.limit_micros as "limitMicros", a.soft_limit_micros as "softLimitMicros",
  a.held_micros as "heldMicros", a.spent_micros as "spentMicros"`;
const IS_SOFT = `a.soft_reached_at is null and a.spent_micros >= a.soft_limit_micros`;
// A budget without a hard stop rejects nothing. It is exhausted when the spent amount reaches its limit.
const IS_SPENT = `not a.hard_stop and a.exhausted_at is null and a.spent_micros >= a.limit_micros`;
const CROSSED = `select ${STATE}, coalesce(${IS_SOFT}, false) as soft, coalesce(${IS_SPENT}, false) as spent
  from data.ai_accounts a join data.ai_budgets b on b.tenant_id = a.tenant_id and b.id = a.subject_id
  where a.tenant_id = $1 and a.kind = 'budget' and (${IS_SOFT} or ${IS_SPENT})`;
const BY_RESERVATION = `${CROSSED} and a.id in (select l.account_id from data.ai_ledger l
  where l.tenant_id = $1 and l.reservation_id = $2 and l.entry = 'reserve')`;
const BY_BUDGET = `${CROSSED} and a.subject_id = $2 and a.period_start >= $3`;
const MARK_SOFT = `update data.ai_accounts set soft_reached_at = $3 where tenant_id = $1 and id = $2`;
const MARK_SPENT = `update data.ai_accounts set exhausted_at = $3 where tenant_id = $1 and id = $2`;
const EXHAUST = `select data.ai_exhaust($1, $2, $3, $4, $5)`;

type Crossing = AccountState & { id: string; soft: boolean; spent: boolean };

const EVENTS = {
  threshold_reached: 'Spending in a period reached the soft limit of a budget.',
  exhausted: 'A budget, an agent’s daily limit or the plan’s monthly one refused a job for the first time in a period.',
};

const EVERY = { day: 'daily', week: 'weekly', month: 'monthly' };

/** Reports budgets that reach their limits: once per period, in the audit log and as an event. */
@Injectable()
export class BudgetAlerts {
  constructor(
    private readonly database: Database,
    private readonly commits: Commits,
    private readonly periods: BudgetPeriods,
    private readonly clock: Clock,
    registry: ResourceRegistry,
  ) {
    const subject = { type: budgets.type, id: ALERT_EXAMPLE.budgetId };
    const data = { told: BudgetAlertFacts, example: { ...ALERT_EXAMPLE } };
    registry.declareObject({ ...budgets, ...data, events: EVENTS, subject });
  }

  /** The accounts of a reservation that have crossed an unreported limit. */
  crossedByReservation(reservationId: string): Statement {
    return statement(BY_RESERVATION, [currentTenant().id, reservationId]);
  }

  /** Like {@link crossedByReservation}, for a budget whose limits have changed, starting with a period. */
  crossedByBudget(budgetId: string, fromDay: string): Statement {
    return statement(BY_BUDGET, [currentTenant().id, budgetId, fromDay]);
  }

  /** Reports the crossings that these statements found, in the same transaction. */
  async tell(transaction: Transaction, rows: readonly Row[]): Promise<void> {
    const at = this.clock.now().toISOString();
    const crossings = rows as unknown as Crossing[]; // columns are named like the members
    for (const account of crossings) {
      const values = [currentTenant().id, account.id, at];
      if (account.soft) await this.add(transaction, 'threshold_reached', statement(MARK_SOFT, values), account, at);
      if (account.spent) await this.add(transaction, 'exhausted', statement(MARK_SPENT, values), account, at);
    }
  }

  /**
   * The 429 for a rejected reservation. The first one in a period is reported in a separate transaction, because the
   * rejected one is rolled back.
   */
  async refused(refusal: Refusal): Promise<Problem> {
    if (!refusal.isKnown) await this.tellRefusal(refusal);
    const resetsAt = await this.periods.endOf(refusal.period, refusal.periodStart);
    const waitMs = Date.parse(resetsAt) - this.clock.nowMs();
    const facts = await this.factsOf(refusal);
    return new Problem('budget_exhausted', `${nameOf(refusal)} has no room for this job until it is reset.`, {
      extensions: {
        budget: { id: facts.budgetId, scope: facts.scope, period: facts.period, limitMicros: facts.limitMicros },
        remaining: remainingOf(refusal),
        resetsAt,
      },
      headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1_000))) },
    });
  }

  private async tellRefusal(refusal: Refusal): Promise<void> {
    const { kind, subjectId, period, periodStart } = refusal;
    const at = this.clock.now().toISOString();
    const flight: Statement[] = [];
    const save = statement(EXHAUST, [kind, subjectId, period, periodStart, at]);
    await this.add({ write: (each) => void flight.push(each) }, 'exhausted', save, refusal, at);
    try {
      await this.database.aside(flight);
    } catch (error) {
      if (!isToldAlready(error)) throw error;
    }
  }

  private async add(
    transaction: Pick<Transaction, 'write'>,
    verb: keyof typeof EVENTS,
    save: Statement,
    account: AccountState,
    at: string,
  ): Promise<void> {
    const after = await this.factsOf(account);
    const id = account.subjectId;
    this.commits.add(transaction, {
      save,
      event: `${budgets.type}.${verb}`,
      subject: { type: budgets.type, id, reference: null, version: 1, url: urlOf(account), name: nameOf(account) },
      before: null,
      after,
      at,
      riskLevel: 'medium',
    });
  }

  private async factsOf(account: AccountState): Promise<BudgetAlertFacts> {
    const { kind, subjectId, scopeType, scopeId, period, periodStart } = account;
    const own = scopeType && { type: scopeType, id: scopeId === '' ? null : scopeId };
    return {
      budgetId: kind === 'budget' ? subjectId : null,
      scope: own ?? (kind === 'plan' ? { type: 'plan', id: null } : { type: 'agent', id: subjectId }),
      period,
      periodStart,
      limitMicros: account.limitMicros!,
      softLimitMicros: account.softLimitMicros,
      spentMicros: account.spentMicros,
      reservedMicros: account.heldMicros,
      remainingMicros: remainingOf(account)!,
      resetsAt: await this.periods.endOf(period, periodStart),
    };
  }
}

/** Display name of an account. */
function nameOf({ kind, scopeType, period }: AccountState): string {
  if (kind === 'plan') return 'The AI limit of the plan';
  if (kind === 'agent') return 'The daily limit of the agent';
  return `The ${EVERY[period]} ${scopeType!.replace('_', ' ')} budget`;
}

function urlOf({ kind, subjectId }: Pick<AccountState, 'kind' | 'subjectId'>): string {
  return kind === 'budget' ? `${budgets.path}/${subjectId}` : '/api/ai/usage';
}
