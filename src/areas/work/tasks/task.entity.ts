import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { ChecklistItem } from './task.dto.js';
import type { TaskState } from './task.lifecycle.js';

/** `priority` is a rank. `spentMinutes` is kept by triggers of time entries: what others write to it is ignored. */
@Entity({ schema: 'data', name: 'work_tasks' })
export class Task extends RecordRow {
  @Column('uuid', { name: 'project_id', nullable: true })
  projectId!: string | null;

  /** In the project, from 1. */
  @Column('integer', { nullable: true })
  number!: number | null;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text')
  state!: TaskState;

  @Column('integer')
  priority!: number;

  @Column('jsonb', { name: 'assignee_ids' })
  assigneeIds!: string[];

  @Column('uuid', { name: 'parent_id', nullable: true })
  parentId!: string | null;

  @Column('date', { name: 'start_date', nullable: true })
  startDate!: string | null;

  @Column('date', { name: 'due_date', nullable: true })
  dueDate!: string | null;

  @Column('integer', { name: 'estimate_minutes', nullable: true })
  estimateMinutes!: number | null;

  @Column('uuid', { name: 'milestone_id', nullable: true })
  milestoneId!: string | null;

  @Column('jsonb', { name: 'blocked_by_ids' })
  blockedByIds!: string[];

  @Column('jsonb')
  checklist!: ChecklistItem[];

  @Column('bigint')
  position!: number;

  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: string | null;

  /** When the platform said that it is overdue; null again when its due date moves. */
  @Column('timestamptz', { name: 'overdue_at', nullable: true })
  overdueAt!: string | null;

  @Column('bigint', { name: 'spent_minutes' })
  spentMinutes!: number;
}
