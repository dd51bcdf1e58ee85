import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { InterviewStatus } from './interview.lifecycle.js';

@Entity({ schema: 'data', name: 'talent_interviews' })
export class Interview extends RecordRow {
  @Column('text')
  status!: InterviewStatus;

  @Column('uuid', { name: 'application_id' })
  applicationId!: string;

  @Column('text')
  kind!: string;

  @Column('timestamptz', { name: 'start_at' })
  startAt!: string;

  @Column('timestamptz', { name: 'end_at' })
  endAt!: string;

  /** Membership ids. */
  @Column('jsonb', { name: 'interviewer_ids' })
  interviewerIds!: string[];

  @Column('text', { nullable: true })
  location!: string | null;

  @Column('timestamptz', { name: 'feedback_due_at', nullable: true })
  feedbackDueAt!: string | null;
}
