import { Column, Entity } from 'typeorm';
import { RecordRow } from '#libs/resource/record.entity.js';
import type { ScorecardRating } from './scorecard.dto.js';
import type { ScorecardStatus } from './scorecard.lifecycle.js';

/** `score` is the mean of its ratings in hundredths, from the moment it was submitted. */
@Entity({ schema: 'data', name: 'talent_scorecards' })
export class Scorecard extends RecordRow {
  @Column('text')
  status!: ScorecardStatus;

  @Column('uuid', { name: 'application_id' })
  applicationId!: string;

  @Column('uuid', { name: 'interview_id', nullable: true })
  interviewId!: string | null;

  /** Membership id. */
  @Column('uuid', { name: 'interviewer_id' })
  interviewerId!: string;

  @Column('jsonb')
  ratings!: ScorecardRating[];

  @Column('text', { nullable: true })
  recommendation!: string | null;

  @Column('text', { nullable: true })
  summary!: string | null;

  @Column('integer', { name: 'score_hundredths', nullable: true })
  score!: number | null;

  @Column('timestamptz', { name: 'submitted_at', nullable: true })
  submittedAt!: string | null;
}
