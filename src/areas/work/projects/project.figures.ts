import { MAX_MINOR } from '#libs/kernel/money.js';
import { fromTenThousandths } from '#libs/lines/decimal.js';
import { DAY_SECONDS, daysBetween, dayOf } from '../days.js';
import type { Project } from './project.js';
import type { ComputedHealth } from './project.filters.js';
import { slippageOf } from './project.slippage.js';

const WHOLE = 1_000_000n;
const HUNDRED = 100n;
/** A project is at risk from this percentage of the budget. */
const RISKY_BUDGET = 85n;

/** A project's figures on a day. */
export interface Reading {
  progressPercent: number;
  /** Null without a budget. Above 100 when the budget is exceeded. */
  budgetUsedPercent: number | null;
  /** Days past the target date, excluding time on hold; null without a target date. */
  slippageDays: number | null;
  isOverdue: boolean;
  healthComputed: ComputedHealth;
}

/**
 * Calculates the figures of a project at an instant; for a closed or held project, at the time of closing or holding.
 * Needs no database, because the event of a change contains them and is written together with the row. What is asked of
 * many rows is calculated by `data.keep_project_progress` and `data.project_used_minor`; project-health.spec.ts compares.
 */
export function readFigures(row: Project, now: string): Reading {
  const progress = progressOf(row);
  const today = dayOf(row.completedAt ?? row.cancelledAt ?? row.heldAt ?? now);
  const late = slippageOf(row, now)?.days ?? null;
  return {
    progressPercent: shownProgress(row, progress),
    budgetUsedPercent: budgetUsed(row),
    slippageDays: late === null ? null : Math.max(0, late),
    isOverdue: late !== null && late > 0 && isOpen(row),
    healthComputed: healthOf(row, today, late, progress),
  };
}

export function isOpen({ status }: Pick<Project, 'status'>): boolean {
  return status !== 'completed' && status !== 'cancelled';
}

/** Completed share of the work, in ten-thousandths of a percent, rounded down. A trigger stores the same value. */
export function progressOf(row: Project): number {
  if (row.progressMethod === 'manual') return row.progressPercent;
  if (row.progressMethod === 'milestones') return share(row.milestones - row.openMilestones, row.milestones);
  const tasks = row.backlogTasks + row.unstartedTasks + row.startedTasks + row.doneTasks;
  return row.estimatedTasks === tasks
    ? share(row.doneEstimateMinutes, row.estimateMinutes)
    : share(row.doneTasks, tasks);
}

/** The progress as a percentage: with three decimals, unless somebody has set it. */
export function shownProgress({ progressMethod }: Project, progress: number): number {
  return progressMethod === 'manual' ? fromTenThousandths(progress) : rounded(progress);
}

/** Ten-thousandths of a percent as a percentage with three decimals, rounded down. */
function rounded(scaled: number): number {
  return Math.floor(scaled / 10) / 1_000;
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Number((BigInt(part) * WHOLE) / BigInt(whole));
}

function heldDays({ heldSeconds }: Project): number {
  return Math.floor(heldSeconds / DAY_SECONDS);
}

/** What counts as spent of each budget, and the budget. */
function budgetsOf(row: Project): [spent: bigint, budget: bigint][] {
  const { billingModel, budgetMinor, budgetMinutes, spentMinutes } = row;
  if (billingModel === 'retainer') return [];
  const spentMinor = BigInt(row.spentMinor);
  const invoicedMinor = BigInt(row.invoicedMinor ?? MAX_MINOR);
  const isCharged = billingModel === 'time_and_materials' && invoicedMinor > spentMinor;
  return [
    ...(budgetMinor === null
      ? []
      : [[isCharged ? invoicedMinor : spentMinor, BigInt(budgetMinor)] as [bigint, bigint]]),
    ...(budgetMinutes === null ? [] : [[BigInt(spentMinutes), BigInt(budgetMinutes)] as [bigint, bigint]]),
  ];
}

function budgetUsed(row: Project): number | null {
  const shares = budgetsOf(row).flatMap(([spent, budget]) => (budget > 0n ? [Number((spent * WHOLE) / budget)] : []));
  return shares.length === 0 ? null : rounded(Math.max(...shares));
}

function healthOf(row: Project, today: string, late: number | null, progress: number): ComputedHealth {
  const { nextMilestoneDate } = row;
  const over = (percent: bigint) => budgetsOf(row).some(([spent, budget]) => spent * HUNDRED > budget * percent);
  if ((late !== null && late > 0) || over(HUNDRED)) return 'off_track';
  const milestoneMissed = nextMilestoneDate !== null && nextMilestoneDate < today;
  return milestoneMissed || over(RISKY_BUDGET) || isBehind(row, today, progress) ? 'at_risk' : 'on_track';
}

/** Whether the work, at its current pace, ends after the target date. Without progress there is no pace. */
function isBehind(row: Project, today: string, progress: number): boolean {
  const { status, startDate, targetDate } = row;
  if ((status !== 'active' && status !== 'on_hold') || startDate === null || targetDate === null) return false;
  const elapsed = daysBetween(startDate, today) - heldDays(row);
  return progress > 0 && elapsed * Number(WHOLE) > progress * daysBetween(startDate, targetDate);
}

/** Columns maintained by triggers; values written by the application are ignored. */
const FIGURES = [
  'backlogTasks',
  'unstartedTasks',
  'startedTasks',
  'doneTasks',
  'cancelledTasks',
  'estimatedTasks',
  'estimateMinutes',
  'doneEstimateMinutes',
  'milestones',
  'openMilestones',
  'unacceptedMilestones',
  'nextMilestoneDate',
  'spentMinutes',
  'spentMinor',
  'unbilledMinutes',
  'unbilledMinor',
  'approvedEntries',
  'invoicedMinor',
] as const satisfies (keyof Project)[];

/** The figures of a project. */
export function figuresOf(row: Project): Partial<Project> {
  return Object.fromEntries(FIGURES.map((figure) => [figure, row[figure]]));
}

/** The figures of a new project. */
export function noFigures(): Partial<Project> {
  return Object.fromEntries(FIGURES.map((figure) => [figure, figure === 'nextMilestoneDate' ? null : 0]));
}
