import { PERSONAL_DATA_KINDS } from '#libs/ai/personal-data/kinds.js';
import { anyObject, Field, id, instant, integer, listOf, nested, oneOf, text, type Kind } from '#libs/http/field.js';
import { isObject } from '#libs/kernel/is-object.js';

/** A million currency units, in millionths of one. */
export const MAX_MICROS = 1_000_000_000_000;
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

export const micros = () => integer({ min: 0, max: MAX_NUMBER });
const count = () => integer({ min: 0, max: MAX_NUMBER });
export const kindKey = () =>
  text({
    min: 1,
    max: 60,
    pattern: /^[a-z][a-z_]*(\.[a-z][a-z_]*)+$/,
    form: 'the kind of a job, such as text.summarize',
  });
const typeKey = () =>
  text({ min: 3, max: 60, pattern: /^[a-z][a-z_]*\.[a-z][a-z_]*$/, form: 'the type of a record, such as sales.deal' });

export const PRIORITIES = ['low', 'normal', 'high'] as const;
export type Priority = (typeof PRIORITIES)[number];
export const MAX_TARGETS = 20;
/** Description of a cost cap. */
export const CAP = 'Maximum cost, in millionths of the currency unit';

/** Any JSON object whose strings PostgreSQL can store. */
export function jsonObject(): Kind {
  return {
    schema: { type: 'object', additionalProperties: true },
    check: (value) => {
      if (!isObject(value)) return [{ code: 'invalid_type', detail: 'The value must be an object.' }];
      return isStorable(value)
        ? []
        : [{ code: 'invalid_characters', detail: 'A text holds NUL or half of a surrogate pair.' }];
    },
    parse: () => undefined,
  };
}

function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (Array.isArray(value)) return value.every(isStorable);
  return !isObject(value) || Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}

/** A record that a job refers to. */
export class JobTarget {
  @Field(typeKey(), { description: 'Type of the record.', example: 'sales.deal' })
  object!: string;

  @Field(id(), { description: 'Id of the record.', example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20' })
  id!: string;
}

/** The policy's decision about a job. */
export class JobDecision {
  @Field(oneOf(['allow', 'require_approval', 'deny']), { description: 'Outcome.', example: 'allow' })
  outcome!: 'allow' | 'require_approval' | 'deny';

  @Field(listOf(text({ max: 100 }), { max: 50 }), {
    description: 'Rules that decided.',
    example: ['policy.allowed'],
  })
  rules!: string[];

  @Field(integer({ min: 0, max: 2_147_483_647 }), { description: 'Version of the policy.', example: 3 })
  policyVersion!: number;
}

/** Where personal data was found, without the data. */
export class PiiFinding {
  @Field(oneOf(PERSONAL_DATA_KINDS), { description: 'Kind of personal data.', example: 'email' })
  kind!: (typeof PERSONAL_DATA_KINDS)[number];

  @Field(count(), { description: 'Number of occurrences.', example: 1 })
  count!: number;

  @Field(text({ max: 1_000 }), { description: 'JSON pointer to the place.', example: '/input/text' })
  where!: string;
}

/** Usage of a job. */
export class JobUsage {
  @Field(count(), { description: 'Number of tokens given to models.', example: 812 })
  inputTokens!: number;

  @Field(count(), { description: 'Number of tokens answered by models.', example: 96 })
  outputTokens!: number;

  @Field(count(), { description: 'Number of calls of models.', example: 1 })
  calls!: number;
}

export const NO_USAGE: JobUsage = { inputTokens: 0, outputTokens: 0, calls: 0 };

/** Why a job failed. */
export class JobError {
  @Field(text({ max: 60 }), { description: 'Code of the error.', example: 'provider_unavailable' })
  code!: string;

  @Field(text({ max: 1_000 }), { description: 'Explanation of the error.', example: 'The provider does not answer.' })
  message!: string;
}

export const ACTION_STATUSES = ['proposed', 'applied', 'parked', 'rejected', 'failed'] as const;

/** Why a proposed change could not be applied. */
export class ActionProblem {
  @Field(text({ max: 60 }), { description: 'Code of the problem.', example: 'permission_denied' })
  code!: string;

  @Field(text({ max: 1_000 }), {
    description: 'Explanation of the problem.',
    example: 'The credential needs the scope deals:write.',
  })
  detail!: string;
}

/** A change that a job proposes, and its state. */
export class ProposedAction {
  @Field(id(), { description: 'Id of the action.' })
  id!: string;

  @Field(text({ max: 60 }), { description: 'Tool that makes the change.', example: 'deals.update' })
  operation!: string;

  @Field(nested(JobTarget), { description: 'Record to change; null for a new one.', nullable: true })
  target!: JobTarget | null;

  @Field(anyObject(), { description: 'Body of the operation.', example: { nextStep: 'Call on Monday' } })
  params!: Record<string, unknown>;

  @Field(text({ max: 2_000 }), { description: 'Reason given by the model.', example: 'No contact for 30 days.' })
  reason!: string;

  @Field(oneOf(ACTION_STATUSES), {
    description: 'State of the action; `parked` waits for a separate approval.',
    example: 'proposed',
  })
  status!: (typeof ACTION_STATUSES)[number];

  @Field(nested(ActionProblem), { description: 'Problem that kept the change from being made.', nullable: true })
  problem!: ActionProblem | null;

  @Field(nested(JobTarget), { description: 'Record that was changed or created.', nullable: true })
  record!: JobTarget | null;
}

/** Result of a job. */
export class JobOutput {
  @Field(text({ max: 1_000_000 }), {
    description: 'Answer as text.',
    nullable: true,
    example: 'Acme renews in May.',
  })
  text!: string | null;

  @Field(anyObject({ type: ['object', 'array', 'string', 'number', 'boolean'], items: {} }), {
    description: 'Answer as JSON, for kinds with a schema.',
    nullable: true,
    example: null,
  })
  json!: unknown;

  @Field(listOf(nested(ProposedAction), { max: 200 }), { description: 'Proposed changes.', example: [] })
  proposedActions!: ProposedAction[];
}

/** One call to a model or a tool. */
export class JobStep {
  @Field(count(), { description: 'Number of the step, from 1.', example: 1 })
  number!: number;

  @Field(oneOf(['model', 'tool']), { description: 'Kind of the call.', example: 'model' })
  type!: 'model' | 'tool';

  @Field(text({ max: 200 }), { description: 'Model or tool that was called.', example: 'local-1' })
  name!: string;

  @Field(text({ max: 60 }), { description: 'Outcome of the call.', example: 'done' })
  outcome!: string;

  @Field(count(), { description: 'Number of tokens given.', example: 812 })
  inputTokens!: number;

  @Field(count(), { description: 'Number of tokens answered.', example: 96 })
  outputTokens!: number;

  @Field(micros(), { description: 'Cost, in millionths of the currency unit.', example: 420 })
  costMicros!: number;

  @Field(instant(), { description: 'Time at which the call ended.', example: '2026-11-21T09:15:04.310Z' })
  at!: string;

  @Field(count(), { description: 'Duration, in milliseconds.', example: 830 })
  durationMs!: number;
}
