import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { MilestoneStatus } from './milestone.lifecycle.js';

@Entity({ schema: 'data', name: 'work_milestones' })
export class Milestone extends RecordRow {
  @Column('uuid', { name: 'project_id' })
  projectId!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text')
  status!: MilestoneStatus;

  @Column('date', { name: 'due_date', nullable: true })
  dueDate!: string | null;

  @Column('bigint', { name: 'billable_minor', nullable: true })
  billableMinor!: number | null;

  /** Of the amount; the project's at the time when the milestone was reached, null before. */
  @Column('text', { nullable: true })
  currency!: string | null;

  @Column('boolean', { name: 'acceptance_required' })
  acceptanceRequired!: boolean;

  @Column('uuid', { name: 'acceptance_contact_id', nullable: true })
  acceptanceContactId!: string | null;

  @Column('timestamptz', { name: 'reached_at', nullable: true })
  reachedAt!: string | null;

  @Column('timestamptz', { name: 'accepted_at', nullable: true })
  acceptedAt!: string | null;
}
