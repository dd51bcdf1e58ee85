import type { MigrationInterface, QueryRunner } from 'typeorm';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { searchedWords, searchFunction } from '#libs/database/search.js';
import { migrationRoles } from '#libs/database/tenant-table.js';
import { hiringRules } from './1763700000011-talent-rules.js';

const EMPLOYMENT_TYPES = `'full_time', 'part_time', 'contractor', 'intern', 'temporary'`;
const SOURCES = `'careers_page', 'referral', 'agency', 'sourced', 'job_board', 'internal', 'event', 'other'`;

/** Where an application stands; candidates mirror it. */
const STANDING = `
  status text not null check (status in ('active', 'hired', 'rejected', 'withdrawn')),
  stage text not null check (length(stage) between 1 and 40),
  stage_entered_at timestamptz(3) not null,
  applied_at timestamptz(3) not null,
  reject_reason text check (length(reject_reason) <= 500),
  hired_at timestamptz(3),
  start_date date,
  job_title text check (length(job_title) <= 200),
  department_id uuid,
  manager_id uuid,
  rating_hundredths integer check (rating_hundredths between 100 and 500),
  check ((status = 'active') = (stage not in ('hired', 'rejected', 'withdrawn'))),
  check (status = 'active' or stage = status),
  check ((status = 'hired') = (hired_at is not null and start_date is not null)),
  check ((status = 'rejected') = (reject_reason is not null))`;

/** Jobs, candidates with their applications, interviews, scorecards, offers. What can never be is refused here too. */
export class Talent1763700000011 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    await jobs(runner);
    await candidates(runner);
    await applications(runner);
    await interviews(runner);
    await scorecards(runner);
    await offers(runner);
    await hiringRules(runner);
    await runner.query(`grant execute on all functions in schema data to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

async function jobs(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.talent_jobs',
    'talent.job',
    `status text not null check (status in ('draft', 'open', 'on_hold', 'filled', 'closed', 'cancelled')),
    department_id uuid,
    hiring_manager_id uuid,
    recruiter_ids jsonb not null check (jsonb_typeof(recruiter_ids) = 'array'),
    openings integer not null check (openings between 1 and 10000),
    filled_count integer not null,
    employment_type text not null check (employment_type in (${EMPLOYMENT_TYPES})),
    location jsonb,
    salary_range jsonb,
    description text check (length(description) <= 20000),
    is_public boolean not null,
    published_at timestamptz(3),
    stages jsonb not null check (jsonb_typeof(stages) = 'array'),
    search tsvector not null generated always as
      (${searchedWords("name || ' ' || reference || ' ' || left(coalesce(description, ''), 5000)")}) stored,
    constraint talent_jobs_filled_of_openings check (filled_count between 0 and openings),
    constraint talent_jobs_department_id_fkey foreign key (tenant_id, department_id)
      references data.people_departments (tenant_id, id),
    constraint talent_jobs_hiring_manager_id_fkey foreign key (tenant_id, hiring_manager_id)
      references data.memberships (tenant_id, id)`,
  );
  await listIndexes(runner, 'data.talent_jobs', {
    sorts: ['name', 'updated_at', 'status', { column: 'published_at', nullable: 'timestamptz' }],
    filters: ['status', 'department_id', 'hiring_manager_id'],
    rareFilters: ['employment_type', 'is_public'],
  });
  await searchFunction(runner, 'data.talent_jobs');
}

async function candidates(runner: QueryRunner): Promise<void> {
  const words = `name || ' ' || reference || ' ' || coalesce(email, '') || ' ' || coalesce(headline, '') || ' ' || skills::text`;
  await recordTable(
    runner,
    'data.talent_candidates',
    'talent.candidate',
    `first_name text check (length(first_name) <= 100),
    last_name text check (length(last_name) <= 100),
    email text check (length(email) <= 254),
    emails jsonb not null check (jsonb_typeof(emails) = 'array'),
    phones jsonb not null check (jsonb_typeof(phones) = 'array'),
    links jsonb not null check (jsonb_typeof(links) = 'array'),
    headline text check (length(headline) <= 300),
    current_company text check (length(current_company) <= 200),
    current_title text check (length(current_title) <= 200),
    location jsonb,
    skills jsonb not null check (jsonb_typeof(skills) = 'array'),
    source text not null check (source in (${SOURCES})),
    source_detail text check (length(source_detail) <= 500),
    referred_by_id uuid,
    cover_letter text check (length(cover_letter) <= 20000),
    salary_expectation jsonb,
    consent jsonb,
    consent_expires_at timestamptz(3),
    is_private boolean not null,
    application_id uuid,
    job_id uuid,
    ${STANDING},
    employee_id uuid,
    merged_into_id uuid,
    anonymized_at timestamptz(3),
    search tsvector not null generated always as (${searchedWords(words)}) stored,
    check (merged_into_id is null or archived_at is not null),
    check (merged_into_id <> id),
    check (status <> 'hired' or deleted_at is null),
    check (anonymized_at is null or (email is null and emails = '[]' and phones = '[]' and links = '[]'
      and first_name is null and last_name is null and headline is null and location is null and skills = '[]'
      and current_company is null and current_title is null and cover_letter is null and salary_expectation is null)),
    constraint talent_candidates_merged_into_id_fkey foreign key (tenant_id, merged_into_id)
      references data.talent_candidates (tenant_id, id),
    constraint talent_candidates_job_id_fkey foreign key (tenant_id, job_id) references data.talent_jobs (tenant_id, id),
    constraint talent_candidates_referred_by_id_fkey foreign key (tenant_id, referred_by_id)
      references data.memberships (tenant_id, id),
    constraint talent_candidates_employee_id_fkey foreign key (tenant_id, employee_id)
      references data.people_employees (tenant_id, id)`,
  );
  await runner.query(`
    create unique index talent_candidates_email_key on data.talent_candidates (tenant_id, lower(email))
      where email is not null and deleted_at is null and archived_at is null`);
  await listIndexes(runner, 'data.talent_candidates', {
    sorts: ['name', 'updated_at', 'stage_entered_at', { column: 'rating_hundredths', nullable: 'integer' }],
    filters: ['status', 'stage', 'job_id', 'applied_at', 'rating_hundredths', 'consent_expires_at'],
    rareFilters: ['source'],
  });
  await searchFunction(runner, 'data.talent_candidates');
}

async function applications(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.talent_applications',
    'talent.application',
    `candidate_id uuid not null,
    job_id uuid,
    ${STANDING},
    stage_before text check (length(stage_before) between 1 and 40),
    last_activity_at timestamptz(3) not null,
    notify_at timestamptz(3),
    source text not null check (source in (${SOURCES})),
    constraint talent_applications_own_key unique (tenant_id, candidate_id, id),
    constraint talent_applications_candidate_id_fkey foreign key (tenant_id, candidate_id)
      references data.talent_candidates (tenant_id, id),
    constraint talent_applications_job_id_fkey foreign key (tenant_id, job_id)
      references data.talent_jobs (tenant_id, id),
    constraint talent_applications_department_id_fkey foreign key (tenant_id, department_id)
      references data.people_departments (tenant_id, id),
    constraint talent_applications_manager_id_fkey foreign key (tenant_id, manager_id)
      references data.people_employees (tenant_id, id)`,
  );
  await runner.query(`
    create unique index talent_applications_job_id_key on data.talent_applications (tenant_id, candidate_id, job_id)
      where status = 'active' and job_id is not null`);
  // What a candidate mirrors is one of their own applications. Both are made in one transaction.
  await runner.query(`
    alter table data.talent_candidates add constraint talent_candidates_application_id_fkey
      foreign key (tenant_id, id, application_id) references data.talent_applications (tenant_id, candidate_id, id)
      deferrable`);
  await listIndexes(runner, 'data.talent_applications', {
    sorts: ['name', 'updated_at', 'stage_entered_at', { column: 'rating_hundredths', nullable: 'integer' }],
    filters: ['status', 'stage', 'job_id', 'candidate_id', 'applied_at', 'rating_hundredths'],
    rareFilters: ['source'],
  });
}

async function interviews(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.talent_interviews',
    'talent.interview',
    `status text not null check (status in ('scheduled', 'completed', 'cancelled', 'no_show')),
    application_id uuid not null,
    kind text not null check (kind in ('phone', 'video', 'onsite', 'panel', 'assessment')),
    start_at timestamptz(3) not null,
    end_at timestamptz(3) not null,
    interviewer_ids jsonb not null check (jsonb_typeof(interviewer_ids) = 'array'),
    location text check (length(location) <= 500),
    feedback_due_at timestamptz(3),
    constraint talent_interviews_times check (end_at >= start_at),
    constraint talent_interviews_application_id_fkey foreign key (tenant_id, application_id)
      references data.talent_applications (tenant_id, id)`,
  );
  await listIndexes(runner, 'data.talent_interviews', {
    sorts: ['name', 'updated_at', 'start_at'],
    filters: ['status', 'application_id', 'start_at'],
    rareFilters: ['kind'],
  });
}

async function scorecards(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.talent_scorecards',
    'talent.scorecard',
    `status text not null check (status in ('draft', 'submitted')),
    application_id uuid not null,
    interview_id uuid,
    interviewer_id uuid not null,
    ratings jsonb not null check (jsonb_typeof(ratings) = 'array'),
    recommendation text check (recommendation in ('strong_no', 'no', 'yes', 'strong_yes')),
    summary text check (length(summary) <= 10000),
    score_hundredths integer check (score_hundredths between 100 and 500),
    submitted_at timestamptz(3),
    constraint talent_scorecards_submission check (
      (status = 'submitted') = (submitted_at is not null and score_hundredths is not null)
      and (status = 'draft' or recommendation is not null)),
    constraint talent_scorecards_application_id_fkey foreign key (tenant_id, application_id)
      references data.talent_applications (tenant_id, id),
    constraint talent_scorecards_interview_id_fkey foreign key (tenant_id, interview_id)
      references data.talent_interviews (tenant_id, id),
    constraint talent_scorecards_interviewer_id_fkey foreign key (tenant_id, interviewer_id)
      references data.memberships (tenant_id, id)`,
  );
  await runner.query(`
    create unique index talent_scorecards_interviewer_id_key on data.talent_scorecards
      (tenant_id, application_id, interviewer_id, interview_id) nulls not distinct where deleted_at is null`);
  await listIndexes(runner, 'data.talent_scorecards', {
    sorts: ['name', 'updated_at', { column: 'submitted_at', nullable: 'timestamptz' }],
    filters: ['status', 'application_id', 'interview_id', 'interviewer_id'],
    rareFilters: ['recommendation'],
  });
}

async function offers(runner: QueryRunner): Promise<void> {
  await recordTable(
    runner,
    'data.talent_offers',
    'talent.offer',
    `status text not null check (status in
      ('draft', 'pending_approval', 'approved', 'sent', 'accepted', 'declined', 'expired', 'withdrawn')),
    application_id uuid not null,
    job_title text check (length(job_title) <= 200),
    employment_type text not null check (employment_type in (${EMPLOYMENT_TYPES})),
    start_date date,
    pay_amount_minor bigint check (pay_amount_minor between 0 and 9007199254740991),
    pay_currency text check (pay_currency ~ '^[A-Z]{3}$'),
    pay_period text check (pay_period in ('hour', 'month', 'year')),
    expires_at timestamptz(3),
    sent_at timestamptz(3),
    accepted_at timestamptz(3),
    constraint talent_offers_pay check (
      (pay_amount_minor is null) = (pay_currency is null) and (pay_currency is null) = (pay_period is null)),
    constraint talent_offers_acceptance check ((status = 'accepted') = (accepted_at is not null)),
    constraint talent_offers_application_id_fkey foreign key (tenant_id, application_id)
      references data.talent_applications (tenant_id, id)`,
  );
  await runner.query(`
    create unique index talent_offers_application_id_key on data.talent_offers (tenant_id, application_id)
      where status in ('draft', 'pending_approval', 'approved', 'sent', 'accepted') and deleted_at is null`);
  await listIndexes(runner, 'data.talent_offers', {
    sorts: [
      'name',
      'updated_at',
      { column: 'start_date', nullable: 'date' },
      { column: 'expires_at', nullable: 'timestamptz' },
    ],
    filters: ['status', 'application_id', 'expires_at'],
  });
}
