import type { Project } from '../projects/project.js';
import type { Reading } from '../projects/project.figures.js';
import { healthRanks } from '../projects/project.parts.js';
import type { Control } from './delivery-control.js';

export const REASONS = [
  'escalated',
  'on_hold',
  'reported_off_track',
  'reported_at_risk',
  'past_target_date',
  'ends_after_target_date',
  'over_budget',
  'budget_nearly_spent',
  'milestone_missed',
  'behind_pace',
  'tasks_overdue',
  'tasks_blocked',
  'gate_rejected',
  'stale',
  'update_requested',
] as const;
export type Reason = (typeof REASONS)[number];

const FULL = 100;
/** A project is at risk from this percentage of the budget. */
const RISKY = 85;

/** What the reasons follow from. */
export interface Circumstances {
  row: Project;
  reading: Reading;
  control: Control;
  overdueTasks: number;
  openBlockers: number;
  /** Last due date of an open task or milestone. */
  lastDue: string | null;
  stale: boolean;
  today: string;
}

/** Why a project needs attention. */
export function reasonsOf(about: Circumstances): Reason[] {
  const { row, reading, control, overdueTasks, openBlockers, lastDue, stale, today } = about;
  const health = healthRanks.wordOf(row.health);
  const used = reading.budgetUsedPercent ?? 0;
  const missed = row.nextMilestoneDate !== null && row.nextMilestoneDate < today;
  const { updateRequestedAt } = control;
  const holds: Record<Reason, boolean> = {
    escalated: control.controlState === 'escalated',
    on_hold: row.status === 'on_hold',
    reported_off_track: health === 'off_track',
    reported_at_risk: health === 'at_risk',
    past_target_date: reading.isOverdue,
    ends_after_target_date: row.targetDate !== null && lastDue !== null && lastDue > row.targetDate,
    over_budget: used > FULL,
    budget_nearly_spent: used > RISKY && used <= FULL,
    milestone_missed: missed,
    behind_pace: reading.healthComputed === 'at_risk' && !missed && used <= RISKY,
    tasks_overdue: overdueTasks > 0,
    tasks_blocked: openBlockers > 0,
    gate_rejected: Object.values(control.gates).some(({ status }) => status === 'rejected'),
    stale,
    update_requested:
      updateRequestedAt !== null && (row.healthUpdatedAt === null || row.healthUpdatedAt < updateRequestedAt),
  };
  return REASONS.filter((reason) => holds[reason]);
}
