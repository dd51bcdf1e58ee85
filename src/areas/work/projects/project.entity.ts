import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { BillingModel, InvoiceMoment } from './project.billing.js';
import type { ProjectStatus } from './project.lifecycle.js';

/**
 * `health` and `priority` are ranks, percentages ten-thousandths. The figures from `backlogTasks` on are kept by triggers
 * of the project's parts: what is written to them by others is ignored.
 */
@Entity({ schema: 'data', name: 'work_projects' })
export class Project extends RecordRow {
  @Column('text')
  key!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text')
  status!: ProjectStatus;

  @Column('integer')
  health!: number;

  @Column('text', { name: 'health_note', nullable: true })
  healthNote!: string | null;

  @Column('timestamptz', { name: 'health_updated_at', nullable: true })
  healthUpdatedAt!: string | null;

  @Column('integer')
  priority!: number;

  @Column('date', { name: 'start_date', nullable: true })
  startDate!: string | null;

  @Column('date', { name: 'target_date', nullable: true })
  targetDate!: string | null;

  @Column('timestamptz', { name: 'held_at', nullable: true })
  heldAt!: string | null;

  /** Length of all holds that have ended, seconds. */
  @Column('bigint', { name: 'held_seconds' })
  heldSeconds!: number;

  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: string | null;

  @Column('timestamptz', { name: 'cancelled_at', nullable: true })
  cancelledAt!: string | null;

  @Column('text', { name: 'cancelled_reason', nullable: true })
  cancelledReason!: string | null;

  /** Without the owner, who is a member anyway. */
  @Column('jsonb', { name: 'member_ids' })
  memberIds!: string[];

  @Column('text')
  visibility!: 'workspace' | 'private';

  @Column('uuid', { name: 'account_id', nullable: true })
  accountId!: string | null;

  @Column('uuid', { name: 'deal_id', nullable: true })
  dealId!: string | null;

  @Column('uuid', { name: 'template_id', nullable: true })
  templateId!: string | null;

  @Column('text', { name: 'billing_model' })
  billingModel!: BillingModel;

  @Column('bigint', { name: 'budget_minor', nullable: true })
  budgetMinor!: number | null;

  @Column('text')
  currency!: string;

  @Column('bigint', { name: 'hourly_rate_minor', nullable: true })
  hourlyRateMinor!: number | null;

  @Column('integer', { name: 'budget_minutes', nullable: true })
  budgetMinutes!: number | null;

  @Column('text', { name: 'invoice_on', nullable: true })
  invoiceOn!: InvoiceMoment | null;

  @Column('text', { name: 'progress_method' })
  progressMethod!: 'tasks' | 'milestones' | 'manual';

  @Column('integer', { name: 'progress_percent' })
  progressPercent!: number;

  @Column('integer', { name: 'backlog_tasks' })
  backlogTasks!: number;

  @Column('integer', { name: 'unstarted_tasks' })
  unstartedTasks!: number;

  @Column('integer', { name: 'started_tasks' })
  startedTasks!: number;

  @Column('integer', { name: 'done_tasks' })
  doneTasks!: number;

  @Column('integer', { name: 'cancelled_tasks' })
  cancelledTasks!: number;

  /** Tasks with an estimate, without the cancelled ones. */
  @Column('integer', { name: 'estimated_tasks' })
  estimatedTasks!: number;

  @Column('bigint', { name: 'estimate_minutes' })
  estimateMinutes!: number;

  @Column('bigint', { name: 'done_estimate_minutes' })
  doneEstimateMinutes!: number;

  @Column('integer')
  milestones!: number;

  @Column('integer', { name: 'open_milestones' })
  openMilestones!: number;

  /** Reached, and still to be accepted. */
  @Column('integer', { name: 'unaccepted_milestones' })
  unacceptedMilestones!: number;

  /** First due date of an open milestone. */
  @Column('date', { name: 'next_milestone_date', nullable: true })
  nextMilestoneDate!: string | null;

  @Column('bigint', { name: 'spent_minutes' })
  spentMinutes!: number;

  @Column('bigint', { name: 'spent_minor' })
  spentMinor!: number;

  @Column('bigint', { name: 'unbilled_minutes' })
  unbilledMinutes!: number;

  @Column('bigint', { name: 'unbilled_minor' })
  unbilledMinor!: number;

  /** Approved and invoiced time entries. */
  @Column('integer', { name: 'approved_entries' })
  approvedEntries!: number;
}

/** Columns that triggers keep. */
export const FIGURES = [
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
