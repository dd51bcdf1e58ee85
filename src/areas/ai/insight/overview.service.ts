import { Injectable } from '@nestjs/common';
import { periodEnd, periodStart } from '#libs/ai/period.js';
import { monthlyAiMicrosOf } from '#libs/auth/plans.js';
import { startOfDayMs } from '#libs/kernel/civil-time.js';
import { Clock } from '#libs/kernel/clock.js';
import { DAY_MS, HOUR_MS } from '#libs/kernel/durations.js';
import { fractionOf } from '#libs/kernel/fraction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { BudgetPeriods } from '../budgets/budget-periods.js';
import { LOCAL_PROVIDER } from '../models/built-in.js';
import { Providers } from '../models/providers.service.js';
import { AiPauses } from '../policy/ai-pauses.js';
import { alertsFrom } from './alerts.js';
import { type BudgetRow, type CallFigures, InsightRepository } from './insight.repository.js';
import type { AiOverview, ProviderHealth, SpendFigures } from './overview.dto.js';

/** An overview of AI work, from jobs, calls and the ledger. */
@Injectable()
export class AiOverviewService {
  constructor(
    private readonly repository: InsightRepository,
    private readonly periods: BudgetPeriods,
    private readonly pauses: AiPauses,
    private readonly providers: Providers,
    private readonly clock: Clock,
  ) {}

  async read(): Promise<AiOverview> {
    const nowMs = this.clock.nowMs();
    const pause = await this.pauses.current();
    const { count, items } = await this.repository.waiting();
    const oldest = items[0];
    const budgets = await this.repository.budgets(await this.periods.today(), null);
    const figures = {
      killSwitch: pause !== null,
      pendingApprovals: {
        count,
        oldestAgeSeconds: oldest ? Math.max(0, Math.floor((nowMs - Date.parse(oldest.waitingSince)) / 1_000)) : null,
        items,
      },
      jobs: await this.repository.jobs(new Date(nowMs - DAY_MS).toISOString()),
      agents: await this.repository.agents(),
      spend: await this.spend(nowMs, budgets),
      providers: await this.providerHealth(nowMs),
    };
    const alerts = alertsFrom(figures, budgets);
    const isDegraded = alerts.some(({ severity }) => severity === 'critical');
    return { health: pause ? 'paused' : isDegraded ? 'degraded' : 'ok', ...figures, alerts };
  }

  private async spend(nowMs: number, budgets: readonly BudgetRow[]): Promise<SpendFigures> {
    const timeZone = await this.periods.timeZone();
    const today = await this.periods.today();
    const todayMs = startOfDayMs(today, timeZone);
    const monthMs = startOfDayMs(periodStart('month', today), timeZone);
    const end = periodEnd('month', today, timeZone);
    const monthMicros = await this.repository.cost(new Date(monthMs).toISOString(), end);
    const elapsedMs = Math.max(DAY_MS, nowMs - monthMs);
    const limits = budgets
      .filter(({ scopeType, period }) => scopeType === 'tenant' && period === 'month')
      .map(({ limitMicros }) => limitMicros);
    const plan = monthlyAiMicrosOf(currentTenant().plan);
    const all = plan === null ? limits : [...limits, plan];
    return {
      todayMicros: await this.repository.cost(new Date(todayMs).toISOString(), end),
      monthMicros,
      budgetMicros: all.length === 0 ? null : Math.min(...all),
      forecastMonthMicros: exact(monthMicros === null ? null : (monthMicros * (Date.parse(end) - monthMs)) / elapsedMs),
    };
  }

  private async providerHealth(nowMs: number): Promise<ProviderHealth[]> {
    const calls = await this.repository.calls(new Date(nowMs - HOUR_MS).toISOString());
    const known = new Map(calls.map((each) => [each.key, each]));
    const data = await this.providers.all();
    return data.filter(({ enabled }) => enabled).map(({ key }) => healthOf(key, known.get(key)));
  }
}

/** The built-in provider is always reachable. */
function healthOf(key: string, calls: CallFigures | undefined): ProviderHealth {
  const reachable = key === LOCAL_PROVIDER.key ? true : calls ? calls.last === 'done' : null;
  return { key, reachable, errorRate1h: calls ? fractionOf(calls.failures, calls.calls) : null };
}

/** An integer that JSON can represent exactly; null otherwise. */
function exact(amount: number | null): number | null {
  return amount !== null && Number.isSafeInteger(Math.round(amount)) ? Math.round(amount) : null;
}
