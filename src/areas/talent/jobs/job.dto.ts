import { Field, flag, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { EMPLOYMENT_TYPES, type EmploymentType, HiringPayRange, HiringPlace } from '../talent.parts.js';
import { jobLifecycle, type JobStatus } from './job.lifecycle.js';
import { JobStage } from './job.stages.js';

const openings = () => integer({ min: 1, max: 10_000 });
const recruiters = () => listOf(id(), { max: 50, unique: true });
const stages = () => listOf(nested(JobStage), { min: 4, max: 30 });
const description = () => text({ max: 20_000 });

export class CreateJob extends RecordInput {
  @Field(id(), { description: 'Department.', optional: true, nullable: true })
  departmentId!: string | null;

  @Field(id(), { description: 'Membership that decides whom to hire.', optional: true, nullable: true })
  hiringManagerId!: string | null;

  @Field(recruiters(), { description: 'Memberships that look for people.', example: [], optional: true })
  recruiterIds!: string[];

  @Field(openings(), { description: 'How many are wanted; 1 if not given.', example: 2, optional: true })
  openings!: number;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment; full_time if not given.', optional: true })
  employmentType!: EmploymentType;

  @Field(nested(HiringPlace), { description: 'Where the work is.', optional: true, nullable: true })
  location!: HiringPlace | null;

  @Field(nested(HiringPayRange), { description: 'What it pays.', optional: true, nullable: true })
  salaryRange!: HiringPayRange | null;

  @Field(description(), { description: 'What it is about.', optional: true, nullable: true })
  description!: string | null;

  @Field(flag(), { description: 'Whether everybody may know of it; false if not given.', optional: true })
  isPublic!: boolean;

  @Field(stages(), { description: 'The stages of its applications; the standard ones if not given.', optional: true })
  stages!: JobStage[];
}

/** What becomes of the open applications of a job that ends. */
export const FATES = ['keep', 'reject', 'withdraw'] as const;

export class EndJob {
  @Field(oneOf(FATES), {
    description: 'What becomes of its open applications: they stay open where they are, or are rejected or withdrawn.',
    example: 'reject',
  })
  openApplications!: (typeof FATES)[number];

  @Field(text({ min: 1, max: 500 }), {
    description: 'Why they are rejected; that the job has ended if not given.',
    optional: true,
  })
  rejectReason!: string;
}

export const JOB_INPUTS = { close: EndJob, cancel: EndJob };

/** A merge patch; with `status` it is the action that leads there. */
export const UpdateJob = updateOf('UpdateJob', CreateJob, {
  field: 'status',
  lifecycle: jobLifecycle,
  inputs: JOB_INPUTS,
});

export class JobView extends RecordView {
  @Field(oneOf(jobLifecycle.states), { description: 'Applications move only while it is open.', example: 'draft' })
  status!: JobStatus;

  @Field(id(), { description: 'Department.', nullable: true })
  departmentId!: string | null;

  @Field(id(), { description: 'Membership that decides whom to hire.', nullable: true })
  hiringManagerId!: string | null;

  @Field(recruiters(), { description: 'Memberships that look for people.', example: [] })
  recruiterIds!: string[];

  @Field(openings(), { description: 'How many are wanted.', example: 2 })
  openings!: number;

  @Field(integer({ min: 0, max: 10_000 }), { description: 'How many have been hired.', example: 0 })
  filledCount!: number;

  @Field(oneOf(EMPLOYMENT_TYPES), { description: 'Kind of employment.', example: 'full_time' })
  employmentType!: EmploymentType;

  @Field(nested(HiringPlace), { description: 'Where the work is.', nullable: true })
  location!: HiringPlace | null;

  @Field(nested(HiringPayRange), { description: 'What it pays.', nullable: true })
  salaryRange!: HiringPayRange | null;

  @Field(description(), { description: 'What it is about.', nullable: true })
  description!: string | null;

  @Field(flag(), { description: 'Whether everybody may know of it.' })
  isPublic!: boolean;

  @Field(instant(), { description: 'When it was first open and public.', nullable: true })
  publishedAt!: string | null;

  @Field(stages(), { description: 'The stages of its applications, in order.' })
  stages!: JobStage[];
}
