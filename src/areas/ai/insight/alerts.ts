import type { BudgetRow } from './insight.repository.js';
import type { AiAlert, AiOverview } from './overview.dto.js';

/** Share of failed calls above which a provider counts as failing. */
const FAILING = 0.2;
/** How long a job may wait for approval before an alert, s. */
const PATIENCE_S = 4 * 3_600;

type Figures = Omit<AiOverview, 'health' | 'alerts'>;

/** Alerts, the most severe first. Critical ones prevent jobs from running. */
export function alertsFrom(figures: Figures, budgets: readonly BudgetRow[]): AiAlert[] {
  const { killSwitch, providers, spend, pendingApprovals } = figures;
  const alerts: AiAlert[] = [];
  const add = (code: AiAlert['code'], severity: AiAlert['severity'], message: string) =>
    void alerts.push({ code, severity, message });
  if (killSwitch) add('paused', 'critical', 'AI work is paused: no jobs are taken, and none run.');
  for (const { key, errorRate1h } of providers)
    if (errorRate1h !== null && errorRate1h >= FAILING)
      add(
        'provider_failing',
        'critical',
        `${Math.round(errorRate1h * 100)} % of the calls of ${key} failed in the last hour.`,
      );
  for (const budget of budgets) {
    const { scopeType, period, hardStop, isSoft, isExhausted } = budget;
    const budgetName = `The ${scopeType.replace('_', ' ')} budget for the ${period}`;
    if (isExhausted && hardStop) add('budget_exhausted', 'critical', `${budgetName} has refused jobs.`);
    else if (isExhausted) add('budget_exhausted', 'warning', `${budgetName} is spent; it refuses nothing.`);
    else if (isSoft) add('budget_threshold_reached', 'warning', `${budgetName} is past its soft limit.`);
  }
  if (spend.budgetMicros !== null && (spend.forecastMonthMicros ?? Infinity) > spend.budgetMicros)
    add('forecast_above_budget', 'warning', 'At the current rate, the month will exceed its budget.');
  if ((pendingApprovals.oldestAgeSeconds ?? 0) > PATIENCE_S)
    add('approvals_waiting', 'info', 'A job has waited for approval for more than four hours.');
  return alerts.sort((a, b) => RANK[a.severity] - RANK[b.severity]);
}

const RANK = { critical: 0, warning: 1, info: 2 };
