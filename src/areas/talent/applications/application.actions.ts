import { civilDate, Field, flag, id, integer, text } from '#libs/http/field.js';
import { stageKey } from '../jobs/job.stages.js';
import { jobTitle } from '../talent.parts.js';

export const rejectReason = () => text({ min: 1, max: 500 });

export class MoveApplication {
  @Field(stageKey(), { description: 'Key of another open stage of the job.', example: 'screening' })
  stage!: string;
}

export class RejectApplication {
  @Field(rejectReason(), { description: 'Reason.', example: 'Not enough experience with databases' })
  rejectReason!: string;

  @Field(flag(), {
    description: 'Whether the candidate is told by mail; defaults to false. The mail does not contain the reason.',
    optional: true,
  })
  notify!: boolean;

  @Field(integer({ min: 0, max: 720 }), {
    description:
      'Hours to wait before the mail; 0 by default. It is not sent if the application is opened again before.',
    example: 24,
    optional: true,
  })
  notifyAfterHours!: number;
}

export class WithdrawApplication {
  @Field(text({ min: 1, max: 500 }), { description: 'Reason; kept in the audit log.', example: 'Took another offer' })
  reason!: string;
}

export class ReopenApplication {
  @Field(stageKey(), {
    description: 'Key of an open stage; by default the one that the application was in before.',
    example: 'screening',
    optional: true,
  })
  stage!: string;
}

/** The part of {@link HireOnApplication} that a patch of `status` accepts. */
export class HireShortly {
  @Field(civilDate(), { description: 'First day of work.', example: '2027-01-04' })
  startDate!: string;

  @Field(jobTitle(), {
    description: 'Job title; by default that of the accepted offer, or else of the job.',
    example: 'Backend engineer',
    optional: true,
  })
  jobTitle!: string;

  @Field(flag(), {
    description: 'Hire without an accepted offer, which needs the scope candidates:hire-without-offer.',
    optional: true,
  })
  force!: boolean;
}

export class HireOnApplication extends HireShortly {
  @Field(id(), { description: 'Department; by default that of the job.', optional: true })
  departmentId!: string;

  @Field(id(), { description: 'Employee who will be the manager.', optional: true })
  managerId!: string;

  @Field(id(), {
    description: 'Template of the talent mapping; by default the one that matches best.',
    optional: true,
  })
  mappingTemplateId!: string;
}

export const APPLICATION_INPUTS = {
  move: MoveApplication,
  reject: RejectApplication,
  withdraw: WithdrawApplication,
  reopen: ReopenApplication,
  hire: HireOnApplication,
};
