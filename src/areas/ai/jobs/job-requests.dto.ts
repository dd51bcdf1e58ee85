import { Field, id, instant, integer, listOf, name, nested, number, oneOf, text } from '#libs/http/field.js';
import { modelKey } from '../agents/agent.parts.js';
import {
  CAP,
  JobTarget,
  jsonObject,
  kindKey,
  MAX_MICROS,
  MAX_TARGETS,
  PRIORITIES,
  type Priority,
} from './job.parts.js';

const cap = () => integer({ min: 1, max: MAX_MICROS });
const units = () => number({ min: 0.000001, max: 1_000_000 });
/** Id of an action within the job. */
const actionId = () => text({ min: 1, max: 36 });
const reason = () => text({ min: 1, max: 1_000, pattern: /\S/ });
const UNITS = 'Maximum cost in currency units, instead of `costCapMicros` or equal to it.';

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
    description: 'Kind of the job, one of those in `/api/ai/models`; `text.generate` by default.',
    example: 'text.summarize',
    optional: true,
  })
  kind?: string;

  @Field(name(), { description: 'Label; the title of the kind by default.', optional: true, example: 'Renewal' })
  name?: string;

  @Field(id(), {
    description: 'Workspace whose budgets the job counts for; none if null.',
    optional: true,
    nullable: true,
  })
  workspaceId?: string | null;

  @Field(id(), { description: 'Agent that does the job; required for `agent.run`.', optional: true, nullable: true })
  agentId?: string | null;

  @Field(jsonObject(), {
    description: 'Input of the kind, up to 256 KB.',
    optional: true,
    example: { text: 'Acme has signed. The renewal starts in May. The price stays.' },
  })
  input?: Record<string, unknown>;

  @Field(text({ min: 1, max: 262_144, pattern: /\S/ }), {
    description: 'Main text of the input, instead of `input`.',
    optional: true,
  })
  prompt?: string;

  @Field(nested(PromptReference), {
    description: 'Stored prompt from which the main text of the input is made.',
    optional: true,
  })
  template?: PromptReference;

  @Field(listOf(nested(JobTarget), { max: MAX_TARGETS }), {
    description: 'Records that the model is shown. The caller has to be able to read them.',
    optional: true,
    example: [],
  })
  targets?: JobTarget[];

  @Field(modelKey(), {
    description: 'Key of the provider; that of the agent or the tenant by default.',
    optional: true,
    nullable: true,
  })
  provider?: string | null;

  @Field(modelKey(), {
    description: 'Key of the model; the default model of the provider if not given.',
    optional: true,
    nullable: true,
  })
  model?: string | null;

  @Field(integer({ min: 64, max: 1_000_000 }), {
    description: 'Maximum length of an answer, in tokens. It is lowered where the cost cap leaves less.',
    optional: true,
    example: 512,
  })
  maxOutputTokens?: number;

  @Field(cap(), { description: `${CAP}; the default of the policy if not given.`, optional: true, example: 200_000 })
  costCapMicros?: number;

  @Field(units(), { description: UNITS, optional: true, example: 0.2 })
  costCap?: number;

  @Field(oneOf(['auto', 'required']), {
    description: '`required` to have the job approved even where the policy does not ask for that; `auto` by default.',
    optional: true,
    example: 'auto',
  })
  approval?: 'auto' | 'required';

  @Field(oneOf(PRIORITIES), {
    description: 'Priority among the jobs of the tenant; `normal` by default.',
    optional: true,
  })
  priority?: Priority;

  @Field(instant(), {
    description: 'Time at which the job expires unless it has started.',
    optional: true,
    nullable: true,
  })
  deadlineAt?: string | null;
}

export class ApproveAiJob {
  @Field(cap(), { description: `${CAP}. It can be lowered, not raised.`, optional: true, example: 100_000 })
  costCapMicros?: number;

  @Field(units(), { description: UNITS, optional: true, example: 0.1 })
  costCap?: number;

  @Field(reason(), { description: 'Note for the other approvers.', optional: true, nullable: true, example: 'Fine' })
  note?: string | null;
}

export class RejectAiJob {
  @Field(reason(), { description: 'Reason of the rejection.', example: 'Too much personal data' })
  reason!: string;
}

export class CancelAiJob {
  @Field(reason(), {
    description: 'Reason of the cancellation.',
    optional: true,
    nullable: true,
    example: 'No longer needed',
  })
  reason?: string | null;
}

export class RetryAiJob {
  @Field(cap(), { description: `${CAP}; unchanged by default.`, optional: true, example: 400_000 })
  costCapMicros?: number;

  @Field(units(), { description: UNITS, optional: true, example: 0.4 })
  costCap?: number;
}

export class ReviewAiJob {
  @Field(listOf(actionId(), { max: 200, unique: true }), {
    description: 'Ids of the proposed actions to take now.',
    optional: true,
    example: [],
  })
  accept?: string[];

  @Field(listOf(actionId(), { max: 200, unique: true }), {
    description:
      'Ids of the proposed actions to reject. Every action that is still proposed has to be in one of the two lists.',
    optional: true,
    example: [],
  })
  reject?: string[];

  @Field(reason(), { description: 'Reason of the decision.', optional: true, nullable: true, example: 'All good' })
  reason?: string | null;
}
