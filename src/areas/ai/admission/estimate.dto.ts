import { Field, flag, integer, listOf, nested, text } from '#libs/http/field.js';
import { GateApprovers } from '#libs/settings/gate.model.js';
import { modelKey } from '../agents/agent.parts.js';
import { budgets } from '../budgets/budget.js';
import type { ShownBudget } from '../budgets/budget.requests.js';
import { JobDecision, micros, PiiFinding } from '../jobs/job.parts.js';

/** Whose approval the job would need. */
export class AiJobApproval {
  @Field(nested(GateApprovers), { description: 'Possible approvers.' })
  approvers!: GateApprovers;

  @Field(nested(GateApprovers), {
    description: 'Further requirement for approvers, where both policy and gate ask for approval; null otherwise.',
    nullable: true,
  })
  alsoApprovers!: GateApprovers | null;

  @Field(integer({ min: 1, max: 5 }), { description: 'How many would have to approve.', example: 1 })
  quorum!: number;

  @Field(flag(), { description: 'Whether the requester could approve too.', example: false })
  allowSelfApproval!: boolean;

  @Field(integer({ min: 1, max: 525_600 }), { description: 'Minutes after which it would expire.', example: 1_440 })
  expiresInMinutes!: number;
}

/** The cost of a job, and the policy's decision about it. */
export class AiJobEstimate {
  @Field(text({ max: 60 }), { description: 'Planned kind of job.', example: 'text.summarize' })
  kind!: string;

  @Field(modelKey(), { description: 'Provider that would do it.', example: 'local' })
  provider!: string;

  @Field(modelKey(), { description: 'Model that would do it.', example: 'local-1' })
  model!: string;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Longest answer in tokens.', example: 512 })
  maxOutputTokens!: number;

  @Field(micros(), { description: 'Cost limit of the job, in micros.', example: 200_000 })
  costCapMicros!: number;

  @Field(micros(), {
    description: 'Cost in the worst case, in micros; this amount would be reserved.',
    example: 1_200,
  })
  worstCaseMicros!: number;

  @Field(micros(), { description: 'Usual cost of such jobs, in micros.', example: 240 })
  expectedMicros!: number;

  @Field(text({ max: 3 }), { description: 'Currency of the amounts.', example: 'USD' })
  currency!: string;

  @Field(flag(), { description: 'Whether a first call fits the cap; the job would end `over_cost_cap` otherwise.' })
  fitsCap!: boolean;

  @Field(nested(JobDecision), { description: 'Decision of the policy.' })
  decision!: JobDecision;

  @Field(nested(AiJobApproval), {
    description: 'Requirements for an approval; null where none is needed.',
    nullable: true,
  })
  approval!: AiJobApproval | null;

  @Field(listOf(nested(PiiFinding), { max: 200 }), {
    description: 'Personal data in it, without the data.',
    example: [],
  })
  piiFindings!: PiiFinding[];

  @Field(listOf(nested(budgets.view), { max: 200 }), { description: 'Budgets that it would count for.', example: [] })
  budgets!: ShownBudget[];
}
