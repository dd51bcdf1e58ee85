import { flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { Attribute, ReadOnly } from '#libs/resource/types/attribute.js';
import type { Reference } from '#libs/resource/types/definition.js';
import { filter } from '#libs/resource/lists/list-query.js';
import { RecordRow } from '#libs/resource/types/record.entity.js';
import { recordType, type Shown } from '#libs/resource/types/record-type.js';
import { MEMBER } from '#libs/resource/access/references.js';
import { EMPLOYMENT_TYPES, type EmploymentType, HiringPayRange, HiringPlace } from '../talent.parts.js';
import { EndJob } from './job.actions.js';
import { jobLifecycle, type JobStatus } from './job.lifecycle.js';
import { DEFAULT_STAGES, JobStage, stageKey } from './job.stages.js';

/** Members of the hiring team see private candidates for the job. */
const TEAM: Reference = { ...MEMBER, opens: 'candidates:read' };
const headcount = (min: number) => integer({ min, max: 10_000 });

/** A job opening. */
export class Job extends RecordRow {
  @ReadOnly(oneOf(jobLifecycle.states), 'State of the job. Its applications move only while it is `open`.', {
    example: 'draft',
    filter: true,
    sort: true,
  })
  status!: JobStatus;

  @Attribute(id(), 'Department that the job is in.', {
    nullable: true,
    names: { table: 'data.people_departments' },
    filter: true,
  })
  departmentId!: string | null;

  @Attribute(id(), 'Membership of the hiring manager, who decides whom to hire.', {
    nullable: true,
    names: TEAM,
    filter: filter.member(true),
  })
  hiringManagerId!: string | null;

  @Attribute(listOf(id(), { max: 50, unique: true }), 'Memberships of the recruiters.', { default: [], names: TEAM })
  recruiterIds!: string[];

  @Attribute(headcount(1), 'Number of people to hire; 1 by default.', { default: 1, example: 2 })
  openings!: number;

  @ReadOnly(headcount(0), 'Number of people hired so far.', { default: 0 })
  filledCount!: number;

  @Attribute(oneOf(EMPLOYMENT_TYPES), 'Kind of employment; `full_time` by default.', {
    default: 'full_time',
    filter: true,
  })
  employmentType!: EmploymentType;

  @Attribute(nested(HiringPlace), 'Place of work.', { nullable: true })
  location!: HiringPlace | null;

  @Attribute(nested(HiringPayRange), 'Range of the pay.', { nullable: true })
  salaryRange!: HiringPayRange | null;

  @Attribute(text({ max: 20_000 }), 'Text of the job advertisement.', { nullable: true })
  description!: string | null;

  @Attribute(flag(), 'Whether the job may be advertised outside of the company; false by default.', {
    default: false,
    example: true,
    filter: true,
  })
  isPublic!: boolean;

  @ReadOnly(instant(), 'Time at which the job was first both open and public.', {
    nullable: true,
    filter: true,
    sort: true,
  })
  publishedAt!: string | null;

  @Attribute(
    listOf(nested(JobStage), { min: 4, max: 30 }),
    'Stages of its applications, in order: `applied`, active ones of your choice, `offer`, `hired`. Five standard stages by default.',
    { default: DEFAULT_STAGES },
  )
  stages!: JobStage[];
}

export type ShownJob = Shown<Job>;
/** A patch of a job. `moveTo` is the key of the stage that the applications in removed stages move to. */
export type JobPatch = Partial<Job> & { moveTo?: string };

export const jobs = recordType(Job, {
  area: 'talent',
  collection: 'jobs',
  noun: 'job',
  prefix: 'JOB',
  permissions: { read: 'jobs:read', write: 'jobs:write' },
  reach: { own: ['t.hiring_manager_id = :me', 't.recruiter_ids ? :me::text'] },
  name: { example: 'Backend engineer' },
  lifecycle: jobLifecycle,
  inputs: { close: EndJob, cancel: EndJob },
  problems: { update: ['field_forbidden', 'in_use', 'record_locked'] },
  besides: {
    update: [
      {
        scope: 'jobs:manage',
        when: 'If the change affects the openings or the salary range of a job that is open or on hold.',
      },
    ],
  },
  directions: {
    moveTo: {
      kind: stageKey(),
      optional: true,
      description:
        'With `stages`: key of the stage to which open applications in removed stages move, `applied` or an active one. Required while there are some.',
      example: 'screening',
    },
  },
  bodies: {
    update: { openings: 3 },
    close: { openApplications: 'reject', rejectReason: 'The job was filled from inside.' },
    cancel: { openApplications: 'withdraw' },
  },
});
