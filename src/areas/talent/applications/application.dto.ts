import {
  civilDate,
  Field,
  type FieldOptions,
  flag,
  id,
  instant,
  integer,
  name,
  number,
  oneOf,
  text,
} from '#libs/http/field.js';
import { RecordInput, RecordView, updateOf } from '#libs/resource/record.dto.js';
import { stageKey } from '../jobs/job.stages.js';
import { type Source, SOURCES } from '../talent.parts.js';
import { applicationLifecycle, type ApplicationStatus } from './application.lifecycle.js';

const jobTitle = () => text({ min: 1, max: 200 });
const rejectReason = () => text({ min: 1, max: 500 });
const maybe = (description: string, example?: unknown): FieldOptions => ({
  description,
  optional: true,
  ...(example === undefined ? {} : { example }),
});

export class CreateApplication extends RecordInput {
  @Field(name(), maybe('Label; that of the job if not given.'))
  declare name: string;

  @Field(id(), { description: 'Who applies.' })
  candidateId!: string;

  @Field(id(), { ...maybe('What for: an open job; nothing in particular if not given.'), nullable: true })
  jobId!: string | null;

  @Field(oneOf(SOURCES), maybe('How it came; other if not given.', 'referral'))
  source!: Source;
}

export class MoveApplication {
  @Field(stageKey(), { description: 'Key of another open stage of the job.', example: 'screening' })
  stage!: string;
}

export class RejectApplication {
  @Field(rejectReason(), { description: 'Why.', example: 'Not enough experience with databases' })
  rejectReason!: string;

  @Field(flag(), maybe('Whether somebody is to tell the candidate, which the platform does not; false if not given.'))
  notify!: boolean;

  @Field(integer({ min: 0, max: 720 }), maybe('How long they are to wait with it, in hours; 0 if not given.', 24))
  notifyAfterHours!: number;
}

export class WithdrawApplication {
  @Field(text({ min: 1, max: 500 }), { description: 'Why; kept in the audit log.', example: 'Took another offer' })
  reason!: string;
}

export class ReopenApplication {
  @Field(stageKey(), maybe('Key of an open stage; where it was before if not given.', 'screening'))
  stage!: string;
}

/** The part of {@link HireOnApplication} that a patch of `status` takes. */
export class HireShortly {
  @Field(civilDate(), { description: 'First day of work.', example: '2027-01-04' })
  startDate!: string;

  @Field(jobTitle(), maybe('Title; that of the offer or of the job if not given.', 'Backend engineer'))
  jobTitle!: string;

  @Field(flag(), maybe('Hire without an accepted offer, which needs candidates:hire-without-offer.'))
  force!: boolean;
}

export class HireOnApplication extends HireShortly {
  @Field(id(), maybe('Department; that of the job if not given.'))
  departmentId!: string;

  @Field(id(), maybe('Employee who will be the manager.'))
  managerId!: string;
}

export const APPLICATION_INPUTS = {
  move: MoveApplication,
  reject: RejectApplication,
  withdraw: WithdrawApplication,
  reopen: ReopenApplication,
  hire: HireOnApplication,
};

/** A merge patch; with `status` or `stage` it is the action that leads there. */
export const UpdateApplication = updateOf(
  'UpdateApplication',
  CreateApplication,
  { field: 'status', lifecycle: applicationLifecycle, inputs: { ...APPLICATION_INPUTS, hire: HireShortly } },
  ['candidateId', 'jobId'],
);

/** What applications show of where they stand, and candidates of the application that they mirror. */
export abstract class StandingView extends RecordView {
  @Field(id(), { description: 'What for; null for nothing in particular.', nullable: true })
  jobId!: string | null;

  @Field(oneOf(applicationLifecycle.states), { description: 'Whether it is open, or how it ended.', example: 'active' })
  status!: ApplicationStatus;

  @Field(stageKey(), { description: 'Key of the stage; the status for one that ended.', example: 'applied' })
  stage!: string;

  @Field(instant(), { description: 'Since when it is in its stage.' })
  stageEnteredAt!: string;

  @Field(instant(), { description: 'When it came.' })
  appliedAt!: string;

  @Field(rejectReason(), { description: 'Why it was rejected.', nullable: true })
  rejectReason!: string | null;

  @Field(instant(), { description: 'When the candidate was hired on it.', nullable: true })
  hiredAt!: string | null;

  @Field(civilDate(), { description: 'First day of work of who was hired.', nullable: true })
  startDate!: string | null;

  @Field(jobTitle(), { description: 'Title of who was hired.', nullable: true })
  jobTitle!: string | null;

  @Field(id(), { description: 'Department of who was hired.', nullable: true })
  departmentId!: string | null;

  @Field(id(), { description: 'Employee who manages who was hired.', nullable: true })
  managerId!: string | null;

  @Field(number({ min: 1, max: 5 }), {
    description: 'Mean of the submitted scorecards, with two decimals.',
    example: 4.25,
    nullable: true,
  })
  rating!: number | null;
}

export class ApplicationView extends StandingView {
  @Field(id(), { description: 'Who applies.' })
  candidateId!: string;

  @Field(oneOf(SOURCES), { description: 'How it came.', example: 'referral' })
  source!: Source;

  @Field(instant(), { description: 'When anything last happened to it.' })
  lastActivityAt!: string;

  @Field(instant(), {
    description: 'When somebody is to tell the candidate of the rejection; null for never.',
    nullable: true,
  })
  notifyAt!: string | null;
}
