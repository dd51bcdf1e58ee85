import { Column } from 'typeorm';
import { civilDate, id, instant, number, oneOf } from '#libs/http/field.js';
import { MAIL_STATES, MAIL_STATES_TEXT, type MailState } from '#libs/mail/mail-states.js';
import { Attribute, Derived, ReadOnly } from '#libs/resource/types/attribute.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { stageKey } from '../jobs/job.stages.js';
import { jobTitle, starsFilter } from '../talent.parts.js';
import { rejectReason } from './application.actions.js';
import { applicationLifecycle, type ApplicationStatus } from './application.lifecycle.js';

const NOW = '2026-11-21T09:15:02.114Z';

/** Status fields of an application. Candidates have the same fields and mirror one of their applications. */
export abstract class StandingRow extends RecordRow {
  @Attribute(id(), 'Job that the application is for, which must be open; null for a general application.', {
    nullable: true,
    once: true,
    names: { table: 'data.talent_jobs' },
    filter: true,
  })
  jobId!: string | null;

  @ReadOnly(oneOf(applicationLifecycle.states), 'State of the application.', { example: 'active', filter: true })
  status!: ApplicationStatus;

  @ReadOnly(stageKey(), 'Key of its stage in the job; the same as `status` once the application has ended.', {
    example: 'applied',
    filter: true,
  })
  stage!: string;

  @ReadOnly(instant(), 'Time at which the application entered the stage.', { example: NOW, filter: true, sort: true })
  stageEnteredAt!: string;

  @ReadOnly(instant(), 'Time of the application.', { example: NOW, filter: true })
  appliedAt!: string;

  @ReadOnly(rejectReason(), 'Reason of the rejection.', { nullable: true, privacy: 'sensitive' })
  rejectReason!: string | null;

  @ReadOnly(instant(), 'Time at which the candidate was hired on the application.', { nullable: true, filter: true })
  hiredAt!: string | null;

  @ReadOnly(civilDate(), 'First day of work, for a hired candidate.', { nullable: true, privacy: 'personal' })
  startDate!: string | null;

  @ReadOnly(jobTitle(), 'Job title, for a hired candidate.', { nullable: true, privacy: 'personal' })
  jobTitle!: string | null;

  @ReadOnly(id(), 'Department, for a hired candidate.', { nullable: true, names: { table: 'data.people_departments' } })
  departmentId!: string | null;

  /** The manager of a hired candidate can see more of their data than other members. */
  @ReadOnly(id(), 'Employee who is the manager, for a hired candidate.', {
    nullable: true,
    names: { table: 'data.people_employees', opens: 'employees.personal:read' },
  })
  managerId!: string | null;

  @Derived(number({ min: 1, max: 5 }), 'Mean of the submitted scorecards, from 1 to 5 with two decimals.', {
    example: 4.25,
    nullable: true,
    filter: filter.ordered(starsFilter(), true),
    sort: true,
    privacy: 'sensitive',
  })
  @Column('integer', { name: 'rating_hundredths', nullable: true })
  rating!: number | null;

  @Derived(
    oneOf(MAIL_STATES),
    `State of the newest mail to the candidate about the application, an acknowledgement or a rejection, where one record is read; null elsewhere, and if there is none. ${MAIL_STATES_TEXT}`,
    { example: 'sent', nullable: true, told: false },
  )
  mailStatus?: MailState | null;
}

/** The rating as the API shows it; stored in hundredths. */
export function starsOf(hundredths: number | null): number | null {
  return hundredths === null ? null : hundredths / 100;
}
