import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { EmploymentType, HiringPayRange, HiringPlace } from '../talent.parts.js';
import type { JobStatus } from './job.lifecycle.js';
import type { JobStage } from './job.stages.js';

/** `filledCount` of the `openings` have been hired for. */
@Entity({ schema: 'data', name: 'talent_jobs' })
export class Job extends RecordRow {
  @Column('text')
  status!: JobStatus;

  @Column('uuid', { name: 'department_id', nullable: true })
  departmentId!: string | null;

  /** Membership id. */
  @Column('uuid', { name: 'hiring_manager_id', nullable: true })
  hiringManagerId!: string | null;

  /** Membership ids. */
  @Column('jsonb', { name: 'recruiter_ids' })
  recruiterIds!: string[];

  @Column('integer')
  openings!: number;

  @Column('integer', { name: 'filled_count' })
  filledCount!: number;

  @Column('text', { name: 'employment_type' })
  employmentType!: EmploymentType;

  @Column('jsonb', { nullable: true })
  location!: HiringPlace | null;

  @Column('jsonb', { name: 'salary_range', nullable: true })
  salaryRange!: HiringPayRange | null;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('boolean', { name: 'is_public' })
  isPublic!: boolean;

  @Column('timestamptz', { name: 'published_at', nullable: true })
  publishedAt!: string | null;

  @Column('jsonb')
  stages!: JobStage[];
}
