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
/** Id of an action of the job itself. */
const actionId = () => text({ min: 1, max: 36 });
const reason = () => text({ min: 1, max: 1_000, pattern: /\S/ });
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
