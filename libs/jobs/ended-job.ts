import { Field, fieldsOf, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { ActorView, model } from '#libs/resource/types/record.dto.js';
import { type Job, JOB_STATUSES } from './job.js';

/** Path of a job in the API. */
export const JOB_PATH = '/api/operations/jobs';
export const JOB_TYPE = 'operations.job';

/** What a job is about. */
export class JobSubject {
  @Field(text({ max: 60 }), { description: 'Type of the record.', example: 'finance.invoice' })
  object!: string;

  @Field(text({ max: 200 }), { description: 'Id of the record.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' })
  id!: string;
}

class JobFailure {
  @Field(text({ max: 100 }), { description: 'Stable code; the job has the explanation.', example: 'internal_error' })
  code!: string;
}

/** A job that has ended without success, in events and audit entries. */
export class EndedJob {
  @Field(id(), { description: 'Id of the job.' })
  id!: string;

  @Field(text({ max: 60 }), {
    description: 'Kind of job, or the flow or timer that was given up.',
    example: 'finance.invoice.dunning',
  })
  kind!: string;

  @Field(oneOf(JOB_STATUSES), { description: '`failed` or `cancelled`.', example: 'failed' })
  status!: Job['status'];

  @Field(nested(JobSubject), { description: 'What it is about; null if it is not about one record.', nullable: true })
  subject!: JobSubject | null;

  @Field(integer({ min: 0, max: 1_000 }), {
    description: 'Attempts that failed; 0 if it was cancelled.',
    example: 10,
  })
  attempts!: number;

  @Field(nested(JobFailure), { description: 'Why it failed; null if it was cancelled.', nullable: true })
  error!: JobFailure | null;

  @Field(nested(ActorView), { description: 'Who requested it.' })
  requestedBy!: ActorView;

  @Field(instant(), { description: 'Time at which it ended.' })
  finishedAt!: string;
}

const EXAMPLE_ID = '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1e01';

/** The declaration of the events about jobs that have ended without success. */
export const ENDED_JOB_EVENTS = {
  type: JOB_TYPE,
  told: model('EndedJob', Object.fromEntries(fieldsOf(EndedJob))),
  events: {
    failed: 'A job failed, or the platform gave up a flow or timer after its last attempt.',
    cancelled: 'Somebody cancelled a job.',
  },
  path: JOB_PATH,
  hasPath: true,
  example: {
    id: EXAMPLE_ID,
    kind: 'finance.invoice.dunning',
    status: 'failed',
    subject: { object: 'finance.invoice', id: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' },
    attempts: 10,
    error: { code: 'internal_error' },
    requestedBy: { type: 'automation', id: null, name: 'finance.invoice.dunning' },
    finishedAt: '2026-11-21T09:15:02.114Z',
  },
};

/** A job as events and audit entries show it. The explanation may contain values of records. */
export function toldOf({ id: jobId, kind, status, subject, error, requestedBy, finishedAt }: Job, attempts: number) {
  return { id: jobId, kind, status, subject, attempts, error: error && { code: error.code }, requestedBy, finishedAt };
}
