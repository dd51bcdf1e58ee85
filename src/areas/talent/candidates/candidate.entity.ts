import { Column, Entity } from 'typeorm';
import { type Application, StandingRow } from '../applications/application.entity.js';
import type { HiringPayRange, HiringPlace, Source } from '../talent.parts.js';
import type { CandidateConsent } from './candidate.consent.js';

/** `applicationId` is the application that the candidate mirrors: the one that somebody last did something to. */
@Entity({ schema: 'data', name: 'talent_candidates' })
export class Candidate extends StandingRow {
  @Column('text', { name: 'first_name', nullable: true })
  firstName!: string | null;

  @Column('text', { name: 'last_name', nullable: true })
  lastName!: string | null;

  @Column('text', { nullable: true })
  email!: string | null;

  @Column('jsonb')
  emails!: string[];

  @Column('jsonb')
  phones!: string[];

  @Column('jsonb')
  links!: string[];

  @Column('text', { nullable: true })
  headline!: string | null;

  @Column('text', { name: 'current_company', nullable: true })
  currentCompany!: string | null;

  @Column('text', { name: 'current_title', nullable: true })
  currentTitle!: string | null;

  @Column('jsonb', { nullable: true })
  location!: HiringPlace | null;

  @Column('jsonb')
  skills!: string[];

  @Column('text')
  source!: Source;

  @Column('text', { name: 'source_detail', nullable: true })
  sourceDetail!: string | null;

  /** Membership id. */
  @Column('uuid', { name: 'referred_by_id', nullable: true })
  referredById!: string | null;

  @Column('text', { name: 'cover_letter', nullable: true })
  coverLetter!: string | null;

  @Column('jsonb', { name: 'salary_expectation', nullable: true })
  salaryExpectation!: HiringPayRange | null;

  @Column('jsonb', { nullable: true })
  consent!: CandidateConsent | null;

  @Column('timestamptz', { name: 'consent_expires_at', nullable: true })
  consentExpiresAt!: string | null;

  @Column('boolean', { name: 'is_private' })
  isPrivate!: boolean;

  @Column('uuid', { name: 'application_id', nullable: true })
  applicationId!: string | null;

  @Column('uuid', { name: 'employee_id', nullable: true })
  employeeId!: string | null;

  @Column('uuid', { name: 'merged_into_id', nullable: true })
  mergedIntoId!: string | null;

  @Column('timestamptz', { name: 'anonymized_at', nullable: true })
  anonymizedAt!: string | null;

  /** Of a new candidate: the application that is saved with it. No column. */
  firstApplication?: Application;
}
