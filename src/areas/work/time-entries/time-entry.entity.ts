import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { TimeEntryStatus } from './time-entry.lifecycle.js';

@Entity({ schema: 'data', name: 'work_time_entries' })
export class TimeEntry extends RecordRow {
  /** Whose time it is. */
  @Column('uuid', { name: 'membership_id' })
  membershipId!: string;

  @Column('uuid', { name: 'project_id', nullable: true })
  projectId!: string | null;

  @Column('uuid', { name: 'task_id', nullable: true })
  taskId!: string | null;

  @Column('date', { name: 'work_date' })
  workDate!: string;

  /** Null while the timer runs. */
  @Column('integer', { nullable: true })
  minutes!: number | null;

  @Column('timestamptz', { name: 'running_since', nullable: true })
  runningSince!: string | null;

  @Column('boolean')
  billable!: boolean;

  @Column('text', { nullable: true })
  note!: string | null;

  @Column('text')
  status!: TimeEntryStatus;

  @Column('text', { name: 'rejected_reason', nullable: true })
  rejectedReason!: string | null;

  @Column('timestamptz', { name: 'approved_at', nullable: true })
  approvedAt!: string | null;

  /** Of an hour, in minor units of the project's currency; fixed when the entry is approved. */
  @Column('bigint', { name: 'rate_minor', nullable: true })
  rateMinor!: number | null;

  @Column('bigint', { name: 'amount_minor', nullable: true })
  amountMinor!: number | null;

  @Column('uuid', { name: 'invoice_line_id', nullable: true })
  invoiceLineId!: string | null;
}
