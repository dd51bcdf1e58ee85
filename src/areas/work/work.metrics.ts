import { count, daysBetween, mean, type Metric, share, shareOf, total } from '#libs/measures/metric.js';
import { DAY_SECONDS } from './days.js';
import { cycles } from './cycles/cycle.js';
import { OVER_BUDGET_SQL } from './projects/project.filters.js';
import { projects } from './projects/project.js';
import { tasks } from './tasks/task.js';
import { timeEntries } from './time-entries/time-entry.js';

const COMPLETED_DAY = `(t.completed_at at time zone 'UTC')::date`;
const TARGET_DAY = `t.target_date + (t.held_seconds / ${DAY_SECONDS})::integer`;
const counted = { 'status[in]': 'draft,submitted,approved,invoiced' };
const delivery = { group: 'delivery', direction: 'higher' } as const;

export const WORK_METRICS: readonly Metric[] = [
  {
    ...delivery,
    key: 'projects_on_time',
    name: 'Projects on time',
    formula:
      'Projects completed by their target date ÷ projects with a target date completed in the period. Days on hold extend the target date.',
    unit: 'percent',
    usualTarget: 80,
    of: projects.type,
    where: { status: 'completed', 'targetDate[isNull]': 'false' },
    during: 'completedAt',
    measure: share(`${COMPLETED_DAY} <= ${TARGET_DAY}`),
  },
  {
    ...delivery,
    key: 'budget_adherence',
    name: 'Budget adherence',
    formula:
      'Projects completed within their budgets of money and minutes ÷ projects with a budget, other than retainers, completed in the period.',
    unit: 'percent',
    usualTarget: 90,
    of: projects.type,
    where: { status: 'completed', hasBudget: 'true', 'billing.model[ne]': 'retainer' },
    during: 'completedAt',
    measure: share(`not ${OVER_BUDGET_SQL}`),
  },
  {
    ...delivery,
    key: 'projects_at_risk',
    name: 'Projects at risk',
    formula: 'Number of planned, active and held projects whose computed health is at risk or off track now.',
    unit: 'count',
    direction: 'lower',
    of: projects.type,
    where: { 'status[in]': 'planned,active,on_hold', 'healthComputed[in]': 'at_risk,off_track' },
    measure: count(),
  },
  {
    ...delivery,
    key: 'overdue_tasks',
    name: 'Overdue tasks',
    formula: 'Number of open tasks that are past their due date now.',
    unit: 'count',
    usualTarget: 0,
    direction: 'lower',
    of: tasks.type,
    where: { isOverdue: 'true' },
    measure: count(),
  },
  {
    ...delivery,
    key: 'tasks_completed',
    name: 'Tasks completed',
    formula: 'Number of tasks completed in the period.',
    unit: 'count',
    of: tasks.type,
    where: {},
    during: 'completedAt',
    measure: count(),
  },
  {
    ...delivery,
    key: 'task_cycle_days',
    name: 'Cycle time of tasks',
    formula: 'Mean days from the creation of a task to its completion, for tasks completed in the period.',
    unit: 'days',
    usualTarget: 10,
    direction: 'lower',
    of: tasks.type,
    where: {},
    during: 'completedAt',
    measure: mean(daysBetween('t.created_at', 't.completed_at')),
  },
  {
    ...delivery,
    key: 'cycle_completion',
    name: 'Completion of cycles',
    formula: 'Done tasks ÷ tasks in scope of cycles closed in the period.',
    unit: 'percent',
    usualTarget: 80,
    of: cycles.type,
    where: {},
    during: 'closedAt',
    measure: shareOf('t.done_tasks', 't.scope_tasks'),
  },
  {
    ...delivery,
    key: 'hours_logged',
    name: 'Hours logged',
    formula: 'Sum of the hours of time entries of the period, without rejected ones and running timers.',
    unit: 'hours',
    of: timeEntries.type,
    where: { ...counted, isRunning: 'false' },
    during: 'workDate',
    measure: total('t.minutes / 60.0'),
  },
  {
    ...delivery,
    key: 'utilisation',
    name: 'Utilisation',
    formula: 'Billable time ÷ time of all time entries of the period, without rejected ones and running timers.',
    unit: 'percent',
    usualTarget: 75,
    of: timeEntries.type,
    where: { ...counted, isRunning: 'false' },
    during: 'workDate',
    measure: shareOf('case when t.billable then t.minutes else 0 end', 't.minutes'),
  },
];
