import { every } from '#libs/access/guard.js';
import { isClosed, limitsIfHeld } from '#libs/access/limits.js';
import { holds } from '#libs/auth/current-principal.js';
import { count, type Metric, share, shareOf } from '#libs/measures/metric.js';
import type { MetricSource } from '#libs/measures/metric-source.js';
import { pathOf } from '#libs/resource/types/definition.js';
import { Budget, budgets } from './budgets/budget.js';
import { aiJobs } from './jobs/job.resource.js';
import { visibleJobs } from './jobs/job.visibility.js';

/** Spending from a budget in its current period, as the list of budgets shows it. */
const SPENT = `coalesce((select a.spent_micros from data.ai_accounts a
  where a.tenant_id = t.tenant_id and a.kind = 'budget' and a.subject_id = t.id
    and a.period_start = date_trunc(t.period, :today::timestamp)::date), 0)`;
const actions = (status: string) =>
  `(select count(*) from jsonb_array_elements(t.proposed_actions) x where x ->> 'status' in (${status}))`;

/** The AI jobs as a source of metrics. */
export const jobSource = (): MetricSource => ({
  key: aiJobs.type,
  path: pathOf(aiJobs),
  list: aiJobs.list,
  entity: aiJobs.entity,
  workspaceFilter: null,
  isReadable: () => !isClosed(aiJobs, aiJobs.permissions.read),
  visible: () => every(limitsIfHeld(aiJobs, aiJobs.permissions.read), visibleJobs()),
});

/** The budgets as a source of metrics. */
export const budgetSource = (): MetricSource => ({
  key: budgets.type,
  path: budgets.path,
  list: budgets.list!,
  entity: Budget,
  workspaceFilter: null,
  isReadable: () => holds('ai-jobs:read-all'),
  visible: () => null,
});

const ai = { group: 'ai', direction: 'higher' } as const;

export const AI_METRICS: readonly Metric[] = [
  {
    ...ai,
    key: 'ai_success',
    name: 'AI success',
    formula: 'Succeeded jobs ÷ jobs created in the period that succeeded, failed or reached their cost limit.',
    unit: 'percent',
    usualTarget: 95,
    of: aiJobs.type,
    where: { 'status[in]': 'succeeded,failed,over_cost_cap' },
    during: 'createdAt',
    measure: share(`t.status = 'succeeded'`),
  },
  {
    ...ai,
    key: 'ai_accepted_suggestions',
    name: 'Accepted suggestions',
    formula: 'Accepted changes ÷ changes proposed by the jobs of the period that have succeeded.',
    unit: 'percent',
    usualTarget: 60,
    of: aiJobs.type,
    where: { status: 'succeeded', hasProposedActions: 'true' },
    during: 'createdAt',
    measure: shareOf(
      actions(`'applied', 'parked', 'failed'`),
      actions(`'applied', 'parked', 'failed', 'rejected', 'proposed'`),
    ),
  },
  {
    ...ai,
    key: 'ai_approvals_pending',
    name: 'AI jobs awaiting approval',
    formula: 'Number of jobs that wait for approval now.',
    unit: 'count',
    direction: 'lower',
    of: aiJobs.type,
    where: { status: 'awaiting_approval' },
    measure: count(),
  },
  {
    ...ai,
    key: 'ai_budget_used',
    name: 'AI budget used',
    formula: 'Spent amount ÷ limit of all enabled budgets, each in its current period.',
    unit: 'percent',
    usualTarget: 100,
    direction: 'lower',
    of: budgets.type,
    where: { enabled: 'true' },
    measure: shareOf(SPENT, 't.limit_micros'),
  },
];
