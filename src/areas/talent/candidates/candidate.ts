import { Column } from 'typeorm';
import { emailAddress } from '#libs/http/email-field.js';
import { phoneNumber } from '#libs/http/phone-field.js';
import { Field, flag, id, instant, type Kind, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { fold } from '#libs/kernel/fold.js';
import { Attribute, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { MEMBER } from '#libs/resource/access/references.js';
import { APPLICATION_INPUTS, HireShortly } from '../applications/application.actions.js';
import { StandingRow } from '../applications/application.standing.js';
import { type Application, applications } from '../applications/application.js';
import { HiringPayRange, HiringPlace, type Source, SOURCES } from '../talent.parts.js';
import { CandidateConsent } from './candidate.consent.js';
import { candidateLifecycle } from './candidate.lifecycle.js';

const email = emailAddress();
const line = (max: number) => text({ min: 1, max });
const list = (of: Kind, max: number) => listOf(of, { max, unique: true });

/** An applicant. The fields of {@link StandingRow} mirror the most recently changed application. */
export class Candidate extends StandingRow {
  @Attribute(line(100), 'First name.', { example: 'Ada', nullable: true, privacy: 'personal' })
  firstName!: string | null;

  @Attribute(line(100), 'Last name.', { example: 'Lovelace', nullable: true, privacy: 'personal' })
  lastName!: string | null;

  @Attribute(email, 'E-mail address; no two candidates have the same.', {
    example: 'ada@example.com',
    nullable: true,
    unique: true,
    privacy: 'personal',
  })
  email!: string | null;

  @Attribute(list(email, 10), 'Further e-mail addresses.', { default: [], privacy: 'personal' })
  emails!: string[];

  @Attribute(list(phoneNumber(), 10), 'Telephone numbers.', { default: [], privacy: 'personal' })
  phones!: string[];

  @Attribute(list(line(500), 20), 'Addresses of profiles and work samples.', { default: [], privacy: 'personal' })
  links!: string[];

  @Attribute(line(300), 'One-line summary of the candidate.', { nullable: true, privacy: 'personal' })
  headline!: string | null;

  @Attribute(line(200), 'Current employer.', { nullable: true, privacy: 'personal' })
  currentCompany!: string | null;

  @Attribute(line(200), 'Current job title.', { nullable: true, privacy: 'personal' })
  currentTitle!: string | null;

  @Attribute(nested(HiringPlace), 'Place of residence.', { nullable: true, privacy: 'personal' })
  location!: HiringPlace | null;

  @Attribute(list(text({ min: 1, max: 100, pattern: /\S/ }), 50), 'Skills.', {
    default: [],
    example: ['PostgreSQL'],
    privacy: 'personal',
  })
  skills!: string[];

  @Attribute(oneOf(SOURCES), 'Channel that the candidate came through; `other` by default.', {
    default: 'other',
    example: 'referral',
    filter: true,
  })
  source!: Source;

  @Attribute(line(500), 'Details of the channel.', { nullable: true, privacy: 'personal' })
  sourceDetail!: string | null;

  @Attribute(id(), 'Membership that recommended the candidate.', { nullable: true, names: MEMBER, privacy: 'personal' })
  referredById!: string | null;

  @Attribute(id(), 'File with the resume (`/api/v1/documents/files`), which whoever sees the candidate may read.', {
    nullable: true,
    names: { table: 'data.documents_files' },
    privacy: 'personal',
  })
  resumeFileId!: string | null;

  @Attribute(text({ max: 20_000 }), 'Cover letter.', { nullable: true, privacy: 'personal' })
  coverLetter!: string | null;

  @Attribute(nested(HiringPayRange), 'Pay that the candidate expects. Only with the scope candidates.personal:read.', {
    nullable: true,
    restricted: 'candidates.personal:read',
    privacy: 'sensitive',
  })
  salaryExpectation!: HiringPayRange | null;

  @Attribute(nested(CandidateConsent), 'Legal basis for keeping data about the candidate.', {
    nullable: true,
    privacy: 'personal',
  })
  consent!: CandidateConsent | null;

  @Attribute(flag(), 'Whether only the hiring team sees the candidate; false by default.', { default: false })
  isPrivate!: boolean;

  @ReadOnly(id(), 'Application that the candidate mirrors: the one last acted on.', {
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b24',
    nullable: true,
  })
  applicationId!: string | null;

  @ReadOnly(id(), 'Employee record made when the candidate was hired.', {
    nullable: true,
    names: { table: 'data.people_employees' },
  })
  employeeId!: string | null;

  @ReadOnly(id(), 'Candidate that this one was merged into.', {
    nullable: true,
    names: { table: 'data.talent_candidates' },
  })
  mergedIntoId!: string | null;

  @ReadOnly(instant(), 'Time at which the personal data was erased.', { nullable: true })
  anonymizedAt!: string | null;

  /** Expiry of the consent. */
  @Column('timestamptz', { name: 'consent_expires_at', nullable: true })
  consentExpiresAt!: string | null;

  /** The application saved together with a new candidate. Not a column. */
  firstApplication?: Application;
}

export type ShownCandidate = Shown<Candidate>;

export class MergeCandidate {
  @Field(id(), { description: 'Candidate to keep.' })
  intoId!: string;
}

const foldedSkill: Kind = { ...line(100), parse: fold };
const { move, reject, withdraw, reopen, hire } = applications.problems!;

export const candidates = recordType(Candidate, {
  area: 'talent',
  collection: 'candidates',
  noun: 'candidate',
  prefix: 'CAND',
  labels: { applicationId: { table: 'data.talent_applications' } },
  permissions: { read: 'candidates:read', write: 'candidates:write' },
  name: { example: 'Ada Lovelace', about: 'Full name; by default first and last name.', optional: true },
  keptWhile: { anonymize: 't.merged_into_id is not null' },
  retention: [
    'consentExpiresAt',
    { name: 'rejectedAt', sql: `case when t.status = 'rejected' then t.stage_entered_at end` },
    'updatedAt',
  ],
  lifecycle: candidateLifecycle,
  stageField: 'stage',
  events: { merged: 'A candidate was merged into another one.' },
  inputs: APPLICATION_INPUTS,
  patchInputs: { hire: HireShortly },
  problems: {
    create: ['field_forbidden', 'job_not_open'],
    ...{ move: move!, reject: reject!, withdraw: withdraw!, reopen: reopen!, hire: hire! },
    anonymize: ['record_locked'],
    unarchive: ['duplicate', 'record_locked'],
  },
  besides: { hire: applications.besides!.hire! },
  bodies: {
    create: { name: 'Ada Lovelace', email: 'ada@example.com', skills: ['PostgreSQL'] },
    update: { headline: 'Writes programs for machines that do not exist yet' },
    hire: { startDate: '2027-01-04', jobTitle: 'Backend engineer' },
  },
  filters: {
    skill: filter.related(
      foldedSkill,
      `exists (select 1 from data.talent_candidate_skills x where x.tenant_id = t.tenant_id
        and x.skill = any(:values) and x.candidate_id = t.id)`,
    ),
    consentExpiresBefore: filter.plain(instant(), 'lt', 't.consent_expires_at'),
  },
});
