import { anyObject, Field, id, instant, integer, listOf, name, nested, number, oneOf, text } from '#libs/http/field.js';
import { ApprovalPerson } from '#libs/resource/approval.dto.js';
import { pageOf, RecordView } from '#libs/resource/record.dto.js';
import { modelKey } from '../agents/agent.dto.js';
import { FeedbackView } from '../feedback/feedback.dto.js';
import { jobLifecycle, type JobStatus } from './job.lifecycle.js';
import {
  JobDecision,
  JobError,
  jsonObject,
  JobOutput,
  JobStep,
  JobTarget,
  JobUsage,
  MAX_MICROS,
  micros,
  PiiFinding,
} from './job.parts.js';

export const PRIORITIES = ['low', 'normal', 'high'] as const;
export type Priority = (typeof PRIORITIES)[number];
export const MAX_TARGETS = 20;

const kindKey = () => text({ min: 1, max: 60, pattern: /^[a-z][a-z_]*(\.[a-z][a-z_]*)+$/ });
const cap = () => integer({ min: 1, max: MAX_MICROS });
const units = () => number({ min: 0.000001, max: 1_000_000 });
/** Id of an action of the job itself. */
const actionId = () => text({ min: 1, max: 36 });
const reason = () => text({ min: 1, max: 1_000, pattern: /\S/ });
const CAP = 'What it may cost at most, in millionths of the currency unit';
const UNITS = 'The same in currency units, in the place of `costCapMicros` or in agreement with it.';

/** A stored prompt. */
export class PromptReference {
  @Field(text({ min: 1, max: 100 }), { description: 'Key of the prompt.', example: 'renewal-summary' })
  key!: string;

  @Field(text({ min: 1, max: 60 }), { description: 'Label of the version, such as `production`.', optional: true })
  label?: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Number of the version.', optional: true })
  version?: number;

  @Field(jsonObject(), { description: 'Values of its variables.', optional: true, example: { customer: 'Acme' } })
  variables?: Record<string, unknown>;
}

export class CreateAiJob {
  @Field(kindKey(), {
    description: 'What is to be done, see `/api/ai/models`; `text.generate` if not given.',
    example: 'text.summarize',
    optional: true,
  })
  kind?: string;

  @Field(name(), { description: 'Label; what the kind is called if not given.', optional: true, example: 'Renewal' })
  name?: string;

  @Field(id(), { description: 'Workspace whose budgets count; none if null.', optional: true, nullable: true })
  workspaceId?: string | null;

  @Field(id(), { description: 'Agent that does it; `agent.run` takes one.', optional: true, nullable: true })
  agentId?: string | null;

  @Field(jsonObject(), {
    description: 'What the kind takes, up to 256 KB.',
    optional: true,
    example: { text: 'Acme has signed. The renewal starts in May. The price stays.' },
  })
  input?: Record<string, unknown>;

  @Field(text({ min: 1, max: 262_144, pattern: /\S/ }), {
    description: 'The main text of the input alone, in the place of `input`.',
    optional: true,
  })
  prompt?: string;

  @Field(nested(PromptReference), {
    description: 'A stored prompt that gives the main text of the input.',
    optional: true,
  })
  template?: PromptReference;

  @Field(listOf(nested(JobTarget), { max: MAX_TARGETS }), {
    description: 'Records that the model is shown, as far as the caller may read them.',
    optional: true,
    example: [],
  })
  targets?: JobTarget[];

  @Field(modelKey(), {
    description: 'Provider; the agent’s or the tenant’s if not given.',
    optional: true,
    nullable: true,
  })
  provider?: string | null;

  @Field(modelKey(), { description: 'Model; the provider’s default if not given.', optional: true, nullable: true })
  model?: string | null;

  @Field(integer({ min: 64, max: 1_000_000 }), {
    description: 'Longest answer in tokens; lowered where the cost cap leaves less.',
    optional: true,
    example: 512,
  })
  maxOutputTokens?: number;

  @Field(cap(), { description: `${CAP}; the policy’s default if not given.`, optional: true, example: 200_000 })
  costCapMicros?: number;

  @Field(units(), { description: UNITS, optional: true, example: 0.2 })
  costCap?: number;

  @Field(oneOf(['auto', 'required']), {
    description: 'Whether somebody has to approve it even where the policy does not ask for that; auto if not given.',
    optional: true,
    example: 'auto',
  })
  approval?: 'auto' | 'required';

  @Field(oneOf(PRIORITIES), {
    description: 'Which jobs of the tenant come first; normal if not given.',
    optional: true,
  })
  priority?: Priority;

  @Field(instant(), { description: 'If it has not begun by then it expires.', optional: true, nullable: true })
  deadlineAt?: string | null;
}

export class ApproveAiJob {
  @Field(cap(), { description: `${CAP}: as much as it was, or less.`, optional: true, example: 100_000 })
  costCapMicros?: number;

  @Field(units(), { description: UNITS, optional: true, example: 0.1 })
  costCap?: number;

  @Field(reason(), { description: 'A note for the others.', optional: true, nullable: true, example: 'Fine' })
  note?: string | null;
}

export class RejectAiJob {
  @Field(reason(), { description: 'Why.', example: 'Too much personal data' })
  reason!: string;
}

export class CancelAiJob {
  @Field(reason(), { description: 'Why.', optional: true, nullable: true, example: 'No longer needed' })
  reason?: string | null;
}

export class RetryAiJob {
  @Field(cap(), { description: `${CAP}; as much as it was if not given.`, optional: true, example: 400_000 })
  costCapMicros?: number;

  @Field(units(), { description: UNITS, optional: true, example: 0.4 })
  costCap?: number;
}

export class ReviewAiJob {
  @Field(listOf(actionId(), { max: 200, unique: true }), {
    description: 'Actions to take now.',
    optional: true,
    example: [],
  })
  accept?: string[];

  @Field(listOf(actionId(), { max: 200, unique: true }), {
    description: 'Actions not to take. Every action that is still proposed has to be in one of the two lists.',
    optional: true,
    example: [],
  })
  reject?: string[];

  @Field(reason(), { description: 'Why.', optional: true, nullable: true, example: 'All good' })
  reason?: string | null;
}

const tokens = () => integer({ min: 1, max: 2_147_483_647 });
const hash = () => text({ min: 64, max: 64, pattern: /^[0-9a-f]{64}$/ });

/** A job for a model. `Source:` domain document "core", section 9.2. */
export class AiJobView extends RecordView {
  @Field(oneOf(jobLifecycle.states), { description: 'How far it is.', example: 'queued' })
  status!: JobStatus;

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
