import { fromTenThousandths } from '#libs/lines/decimal.js';
import { DAY_SECONDS, daysBetween, dayOf } from '../days.js';
import type { Project } from './project.js';
import type { ComputedHealth } from './project.filters.js';

const WHOLE = 1_000_000n;
const HUNDRED = 100n;
/** Percent of the budget from which on a project is at risk. */
const RISKY_BUDGET = 85n;

/** A project's figures on a day. */
export interface Reading {
  progressPercent: number;
  /** Null without a budget. Above 100 when it is exceeded. */
  budgetUsedPercent: number | null;
  /** Days past the target date, without those on hold; null without a target date. */
  slippageDays: number | null;
  isOverdue: boolean;
  healthComputed: ComputedHealth;
}

/** Reads the figures of a project as of an instant; of a closed or held one as of when it was closed or held. */
export function readFigures(row: Project, now: string): Reading {
  const progress = progressOf(row);
  const today = dayOf(row.completedAt ?? row.cancelledAt ?? row.heldAt ?? now);
  const late = row.targetDate === null ? null : daysBetween(row.targetDate, today) - heldDays(row);
  return {
    progressPercent: fromTenThousandths(progress),
    budgetUsedPercent: budgetUsed(row),
    slippageDays: late === null ? null : Math.max(0, late),
    isOverdue: late !== null && late > 0 && isOpen(row),
    healthComputed: healthOf(row, today, late, progress),
  };
}

export function isOpen({ status }: Pick<Project, 'status'>): boolean {
  return status !== 'completed' && status !== 'cancelled';
}

/** Share of the work that is done, in ten-thousandths of a percent point, rounded down. A trigger stores the same. */
export function progressOf(row: Project): number {
  if (row.progressMethod === 'manual') return row.progressPercent;
  if (row.progressMethod === 'milestones') return share(row.milestones - row.openMilestones, row.milestones);
  const tasks = row.backlogTasks + row.unstartedTasks + row.startedTasks + row.doneTasks;
  return row.estimatedTasks === tasks
    ? share(row.doneEstimateMinutes, row.estimateMinutes)
    : share(row.doneTasks, tasks);
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Number((BigInt(part) * WHOLE) / BigInt(whole));
}

function heldDays({ heldSeconds }: Project): number {
  return Math.floor(heldSeconds / DAY_SECONDS);
}

function budgetUsed({ spentMinor, budgetMinor, spentMinutes, budgetMinutes }: Project): number | null {
  const shares = [
    [spentMinor, budgetMinor],
    [spentMinutes, budgetMinutes],
  ].flatMap(([spent, budget]) => (budget ? [Number((BigInt(spent!) * WHOLE) / BigInt(budget))] : []));
  return shares.length === 0 ? null : fromTenThousandths(Math.max(...shares));
}

/** Whether more than so many percent of a budget are spent. */
function uses(spent: number, budget: number | null, percent: bigint): boolean {
  return budget !== null && BigInt(spent) * HUNDRED > BigInt(budget) * percent;
}

function healthOf(row: Project, today: string, late: number | null, progress: number): ComputedHealth {
  const { spentMinor, budgetMinor, spentMinutes, budgetMinutes, nextMilestoneDate } = row;
  const over = (percent: bigint) =>
    uses(spentMinor, budgetMinor, percent) || uses(spentMinutes, budgetMinutes, percent);
  if ((late !== null && late > 0) || over(HUNDRED)) return 'off_track';
  const milestoneMissed = nextMilestoneDate !== null && nextMilestoneDate < today;
  return milestoneMissed || over(RISKY_BUDGET) || isBehind(row, today, progress) ? 'at_risk' : 'on_track';
}

/** Whether the work, at its current pace, ends after the target date. Before anything is done there is no pace. */
function isBehind(row: Project, today: string, progress: number): boolean {
  const { status, startDate, targetDate } = row;
  if ((status !== 'active' && status !== 'on_hold') || startDate === null || targetDate === null) return false;
  const elapsed = daysBetween(startDate, today) - heldDays(row);
  return progress > 0 && elapsed * Number(WHOLE) > progress * daysBetween(startDate, targetDate);
}

/** Columns that triggers of the project's parts keep: what others write to them is ignored. */
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
] as const satisfies (keyof Project)[];

/** The figures of a project. */
export function figuresOf(row: Project): Partial<Project> {
  return Object.fromEntries(FIGURES.map((figure) => [figure, row[figure]]));
}

/** The figures of a project without parts. */
export function noFigures(): Partial<Project> {
  return Object.fromEntries(FIGURES.map((figure) => [figure, figure === 'nextMilestoneDate' ? null : 0]));
}
