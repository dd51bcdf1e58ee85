import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { Source } from '../talent.parts.js';
import type { ApplicationStatus } from './application.lifecycle.js';

/** Where an application stands. Candidates have the same columns for the application that they mirror. */
export abstract class StandingRow extends RecordRow {
  @Column('uuid', { name: 'job_id', nullable: true })
  jobId!: string | null;

  @Column('text')
  status!: ApplicationStatus;

  @Column('text')
  stage!: string;

  @Column('timestamptz', { name: 'stage_entered_at' })
  stageEnteredAt!: string;

  @Column('timestamptz', { name: 'applied_at' })
  appliedAt!: string;

  @Column('text', { name: 'reject_reason', nullable: true })
  rejectReason!: string | null;

  @Column('timestamptz', { name: 'hired_at', nullable: true })
  hiredAt!: string | null;

  @Column('date', { name: 'start_date', nullable: true })
  startDate!: string | null;

  @Column('text', { name: 'job_title', nullable: true })
  jobTitle!: string | null;

  @Column('uuid', { name: 'department_id', nullable: true })
  departmentId!: string | null;

  /** Employee id. */
  @Column('uuid', { name: 'manager_id', nullable: true })
  managerId!: string | null;

  /** Hundredths; the API shows 1 to 5. */
  @Column('integer', { name: 'rating_hundredths', nullable: true })
  rating!: number | null;
}

/** `stageBefore` is where one that is closed stood; `notifyAt` is when the candidate is to be told of a rejection. */
@Entity({ schema: 'data', name: 'talent_applications' })
export class Application extends StandingRow {
  @Column('uuid', { name: 'candidate_id' })
  candidateId!: string;

  @Column('text', { name: 'stage_before', nullable: true })
  stageBefore!: string | null;

  @Column('timestamptz', { name: 'last_activity_at' })
  lastActivityAt!: string;

  @Column('timestamptz', { name: 'notify_at', nullable: true })
  notifyAt!: string | null;

  @Column('text')
  source!: Source;
}
