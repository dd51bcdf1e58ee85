import { anyObject, Field, id, instant, integer, nested, oneOf, text } from '#libs/http/field.js';
import { JobSubject } from '#libs/jobs/ended-job.js';
import { JOB_STATUSES } from '#libs/jobs/job.js';
import { filter, type ListOptions, listQuery } from '#libs/resource/lists/list-query.js';
import { ActorView, pageOf } from '#libs/resource/types/record.dto.js';

const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

class AsyncJobProgress {
  @Field(integer(COUNT), { description: 'Items processed so far.', example: 500 })
  done!: number;

  @Field(integer(COUNT), { description: 'Items to process; null if unknown.', example: 1_200, nullable: true })
  total!: number | null;

  @Field(text({ max: 60 }), { description: 'Current phase.', example: 'deleting', nullable: true })
  phase!: string | null;

  @Field(instant(), {
    description:
      'Time at which a running job will end if it goes on as fast as since its start; null if that is unknown.',
    nullable: true,
  })
  estimatedFinishAt!: string | null;
}

class AsyncJobError {
  @Field(text({ max: 100 }), { description: 'Stable code.', example: 'unavailable' })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'What went wrong.', example: 'The database did not answer in time.' })
  message!: string;
}

/** An asynchronous job. */
export class AsyncJob {
  @Field(id(), { description: 'Id of the job.' })
  id!: string;

  @Field(text({ max: 60 }), {
    description: 'Kind of job. One that the platform gave up has the name of its flow or timer.',
    example: 'core.retention',
  })
  kind!: string;

  @Field(nested(JobSubject), {
    description: 'What it is about; null if it is not about one record.',
    example: null,
    nullable: true,
  })
  subject!: JobSubject | null;

  @Field(oneOf(JOB_STATUSES), { description: 'Status of the job.', example: 'running' })
  status!: (typeof JOB_STATUSES)[number];

  @Field(nested(AsyncJobProgress), { description: 'How far the job has got.' })
  progress!: AsyncJobProgress;

  @Field(anyObject({ type: 'object', additionalProperties: true }), {
    description: 'Result of a finished job; its members depend on the kind.',
    example: null,
    nullable: true,
  })
  result!: Record<string, unknown> | null;

  @Field(nested(AsyncJobError), { description: 'Why the job failed; null otherwise.', example: null, nullable: true })
  error!: AsyncJobError | null;

  @Field(nested(ActorView), { description: 'Requester.' })
  requestedBy!: ActorView;

  @Field(instant(), { description: 'Time of the request.' })
  createdAt!: string;

  @Field(instant(), { description: 'Time at which work began.', nullable: true })
  startedAt!: string | null;

  @Field(instant(), { description: 'Time at which the job ended.', nullable: true })
  finishedAt!: string | null;

  @Field(instant(), { description: 'Time from which the finished job can be deleted.' })
  expiresAt!: string;
}

export const jobList: ListOptions = {
  filters: {
    kind: filter.exact(text({ max: 60 })),
    status: filter.exact(oneOf(JOB_STATUSES)),
    createdAt: filter.ordered(instant()),
  },
  sorts: ['createdAt'],
  defaultSort: '-createdAt',
};

export const AsyncJobQuery = listQuery('AsyncJobQuery', jobList);
export const AsyncJobPage = pageOf(AsyncJob);
