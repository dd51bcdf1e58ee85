import { Column } from 'typeorm';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import type { BillingModel, InvoiceMoment } from './project.billing.js';

/** Project columns that the API shows in another form or not at all. */
export abstract class ProjectColumns extends RecordRow {
  /** Total length of all ended holds, in seconds. */
  @Column('bigint', { name: 'held_seconds' })
  heldSeconds!: number;

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

  /** Tasks with an estimate, excluding cancelled tasks. */
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

  /** Milestones reached but not yet accepted. */
  @Column('integer', { name: 'unaccepted_milestones' })
  unacceptedMilestones!: number;

  /** Earliest due date of an open milestone. */
  @Column('date', { name: 'next_milestone_date', nullable: true })
  nextMilestoneDate!: string | null;

  /** Approved and invoiced time entries. */
  @Column('integer', { name: 'approved_entries' })
  approvedEntries!: number;
}
