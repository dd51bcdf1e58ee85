import { Injectable } from '@nestjs/common';
import { currentPrincipal, reachOf } from '#libs/auth/current-principal.js';
import { monthlyAiMicrosOf } from '#libs/auth/plans.js';
import { type DaySpan, daysOf, daySpan } from '#libs/kernel/day-span.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { BudgetPeriods } from '../budgets/budget-periods.js';
import type { BudgetScopeType } from '../budgets/budget.js';
import { AiPolicies } from '../policy/ai-policies.js';
import { InsightRepository } from './insight.repository.js';
import { type AiUsage, type AiUsageEntry, type AiUsageQuery, type BudgetUsage, MOST_DAYS } from './usage.dto.js';

/** Usage of AI jobs, from the ledger. */
@Injectable()
export class AiUsageService {
  constructor(
    private readonly repository: InsightRepository,
    private readonly periods: BudgetPeriods,
    private readonly policies: AiPolicies,
  ) {}

  /** Usage of the whole tenant, or only of the caller if they may not read others' jobs. @throws Problem 400. */
  async read({ from, to, groupBy = 'day' }: AiUsageQuery): Promise<AiUsage> {
    const timeZone = await this.periods.timeZone();
    const today = await this.periods.today();
    const asked = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    const span = daySpan(asked, new Date(`${today}T00:00:00Z`), MOST_DAYS);
    // PostgreSQL parses these texts for every date, including the last supported day.
    const [begin, end] = [`${span.from}T00:00:00 ${timeZone}`, `${span.to}T24:00:00 ${timeZone}`];
    const person = reachOf('ai-jobs:read-all') === 'tenant' ? null : callerId();
    const usage = await this.repository.usage(groupBy, begin, end, timeZone, person);
    const { policy } = await this.policies.current();
    const { ratePerMinute, concurrency } = policy;
    return {
      policy: policy as AiUsage['policy'],
      limits: { ratePerMinute, concurrency, planMonthlyMicros: monthlyAiMicrosOf(currentTenant().plan) },
      budgets: await this.budgets(today, person),
      usage: groupBy === 'day' ? everyDay(span, usage) : usage,
    };
  }

  /** Spent by the whole tenant between two instants, micros. */
  cost(from: string, to: string): Promise<number | null> {
    return this.repository.cost(from, to);
  }

  private async budgets(today: string, person: string | null): Promise<BudgetUsage[]> {
    const rows = await this.repository.budgets(today, person);
    return Promise.all(
      rows.map(async ({ scopeType, scopeId, period, limitMicros, spentMicros, reservedMicros }) => ({
        scope: { type: scopeType as BudgetScopeType, id: scopeId === '' ? null : scopeId },
        period,
        limitMicros,
        spentMicros,
        reservedMicros,
        remainingMicros: Math.max(0, limitMicros - spentMicros - reservedMicros),
        resetsAt: await this.periods.endOf(period, today),
      })),
    );
  }
}

/** The person that the caller's jobs count towards: the member, or the lineage of a key without a member. */
function callerId(): string {
  return currentPrincipal().membershipId ?? currentScope().lineageId!;
}

function everyDay(span: DaySpan, usage: readonly AiUsageEntry[]): AiUsageEntry[] {
  const known = new Map(usage.map((entry) => [entry.key, entry]));
  return daysOf(span).map((key) => known.get(key) ?? { key, jobs: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 });
}
