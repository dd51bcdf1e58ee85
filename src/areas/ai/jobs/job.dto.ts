import { anyObject, Field, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { ApprovalPerson } from '#libs/resource/approval.dto.js';
import { pageOf, RecordView } from '#libs/resource/record.dto.js';
import { modelKey } from '../agents/agent.parts.js';
import { FeedbackView } from '../feedback/feedback.dto.js';
import { aiJobLifecycle, type AiJobStatus } from './job.lifecycle.js';
import {
  CAP,
  JobDecision,
  JobError,
  JobOutput,
  JobStep,
  JobTarget,
  JobUsage,
  kindKey,
  MAX_TARGETS,
  micros,
  PiiFinding,
  PRIORITIES,
  type Priority,
} from './job.parts.js';

const tokens = () => integer({ min: 1, max: 2_147_483_647 });
const hash = () => text({ min: 64, max: 64, pattern: /^[0-9a-f]{64}$/, form: '64 hexadecimal digits in lower case' });

/** A job for a model. */
export class AiJobView extends RecordView {
  @Field(oneOf(aiJobLifecycle.states), { description: 'How far it is.', example: 'queued' })
  status!: AiJobStatus;

  @Field(kindKey(), { description: 'What is to be done.', example: 'text.summarize' })
  kind!: string;

  @Field(id(), { description: 'Agent that does it.', nullable: true })
  agentId!: string | null;

  @Field(tokens(), { description: 'Version of the agent.', nullable: true, example: null })
  agentVersion!: number | null;

  @Field(modelKey(), { description: 'Provider.', example: 'local' })
  provider!: string;

  @Field(modelKey(), { description: 'Model.', example: 'local-1' })
  model!: string;

  @Field(oneOf(PRIORITIES), { description: 'Which jobs of the tenant come first.', example: 'normal' })
  priority!: Priority;

  @Field(oneOf(['auto', 'required']), { description: 'Whether the caller asked for approval.', example: 'auto' })
  approval!: 'auto' | 'required';

  @Field(instant(), { description: 'If it has not begun by then it expires.', nullable: true })
  deadlineAt!: string | null;

  @Field(listOf(nested(JobTarget), { max: MAX_TARGETS }), {
    description: 'Records that the model is shown.',
    example: [],
  })
  targets!: JobTarget[];

  @Field(tokens(), { description: 'Longest answer of a call in tokens.', example: 512 })
  maxOutputTokens!: number;

  @Field(micros(), { description: `${CAP}.`, example: 200_000 })
  costCapMicros!: number;

  @Field(micros(), { description: 'What it costs in the worst case, micros.', example: 1_200 })
  estimatedCostMicros!: number;

  @Field(micros(), { description: 'What was reserved for it, micros.', example: 1_200 })
  reservedCostMicros!: number;

  @Field(micros(), { description: 'What it has cost, micros.', example: 0 })
  actualCostMicros!: number;

  @Field(text({ max: 3 }), { description: 'Currency of the amounts.', example: 'USD' })
  currency!: string;

  @Field(nested(JobDecision), { description: 'What the policy said.' })
  decision!: JobDecision;

  @Field(listOf(nested(PiiFinding), { max: 1_000 }), {
    description: 'Personal data in it, without the data.',
    example: [],
  })
  piiFindings!: PiiFinding[];

  @Field(hash(), {
    description: 'SHA-256 of what the model is given.',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  inputHash!: string;

  @Field(anyObject(), {
    description: 'What the model is given, as it is sent. Only where the job is read by its id, and while it is kept.',
    optional: true,
    nullable: true,
    example: null,
  })
  input?: Record<string, unknown> | null;

  @Field(nested(JobOutput), { description: 'What it came to.', optional: true, nullable: true, example: null })
  output?: JobOutput | null;

  @Field(listOf(nested(FeedbackView), { max: 1_000 }), {
    description: 'What people said about it. Only where the job is read by its id.',
    optional: true,
    example: [],
  })
  feedback?: FeedbackView[];

  @Field(listOf(nested(JobStep), { max: 200 }), { description: 'Its calls so far.', example: [] })
  steps!: JobStep[];

  @Field(nested(JobUsage), { description: 'What it has used.' })
  usage!: JobUsage;

  @Field(nested(JobError), { description: 'Why it did not end well.', nullable: true, example: null })
  error!: JobError | null;

  @Field(integer({ min: 0, max: 1_000_000 }), { description: 'How often it was started.', example: 0 })
  attempts!: number;

  @Field(id(), { description: 'Request for approval that it waits or waited for.', nullable: true })
  approvalId!: string | null;

  @Field(nested(ApprovalPerson), { description: 'Who asked for it.' })
  requestedBy!: ApprovalPerson;

  @Field(instant(), { description: 'When it was last put in the queue.', example: '2026-11-21T09:15:02.114Z' })
  queuedAt!: string;

  @Field(instant(), { description: 'When it was last started.', nullable: true })
  startedAt!: string | null;

  @Field(instant(), { description: 'When it was over.', nullable: true })
  finishedAt!: string | null;
}

export const JobPage = pageOf(AiJobView);
