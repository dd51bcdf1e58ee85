import { PERIODS, type Period } from '#libs/ai/period.js';
import { civilDate, Field, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { BudgetScope, micros } from '../budgets/budget.js';
import { AiPolicyValues } from '../policy/ai-policy.dto.js';

/** Maximum number of days per response. */
export const MOST_DAYS = 92;
export const GROUPINGS = ['day', 'agent', 'member', 'model', 'kind'] as const;
export type Grouping = (typeof GROUPINGS)[number];
const tokens = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

export class AiUsageQuery {
  @Field(civilDate(), {
    description: `First day in the tenant’s time zone. Without it the 30 days that end with \`to\`; at most ${MOST_DAYS} days.`,
    example: '2026-11-01',
    optional: true,
  })
  from?: string;

  @Field(civilDate(), { description: 'Last day; today without it.', example: '2026-11-21', optional: true })
  to?: string;

  @Field(oneOf(GROUPINGS), {
    description: 'Dimension by which the figures are grouped; defaults to `day`.',
    optional: true,
  })
  groupBy?: Grouping;
}

export class AiLimits {
  @Field(integer({ min: 1, max: 10_000 }), {
    description: 'Jobs that are taken in any 60 seconds, new ones and those that run again.',
    example: 60,
  })
  ratePerMinute!: number;

  @Field(integer({ min: 1, max: 100 }), { description: 'Jobs that run at the same time.', example: 5 })
  concurrency!: number;

  @Field(micros(), {
    description: 'Monthly limit of the plan, in micros; null for no limit.',
    example: 1_000_000_000,
    nullable: true,
  })
  planMonthlyMicros!: number | null;
}

export class BudgetUsage {
  @Field(nested(BudgetScope), { description: 'Whose spending it is about.' })
  scope!: BudgetScope;

  @Field(oneOf(PERIODS), { description: 'Period of the budget.', example: 'month' })
  period!: Period;

  @Field(micros(), { description: 'Spending limits per period.' })
  limitMicros!: number;

  @Field(micros(), { description: 'Spent in the period that runs.' })
  spentMicros!: number;

  @Field(micros(), { description: 'Held for jobs that are not over.' })
  reservedMicros!: number;

  @Field(micros(), { description: 'Amount available for new jobs.' })
  remainingMicros!: number;

  @Field(instant(), { description: 'Time at which the next period begins.' })
  resetsAt!: string;
}

const BEYOND = 'null beyond the range of exact numbers';

export class AiUsageEntry {
  @Field(text({ max: 201 }), {
    description:
      'The day, the id of the agent or the member, `provider/model`, or the kind; null for what no agent or no member asked for.',
    example: '2026-11-21',
    nullable: true,
  })
  key!: string | null;

  @Field(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), { description: 'Jobs that were let in.', example: 12 })
  jobs!: number;

  @Field(tokens(), { description: `Tokens sent; ${BEYOND}.`, example: 18_400, nullable: true })
  inputTokens!: number | null;

  @Field(tokens(), { description: `Tokens received; ${BEYOND}.`, example: 4_100, nullable: true })
  outputTokens!: number | null;

  @Field(micros(), { description: `Spent, micros; ${BEYOND}.`, example: 61_500, nullable: true })
  costMicros!: number | null;
}

export class AiUsage {
  @Field(nested(AiPolicyValues), { description: 'The policy that holds.' })
  policy!: AiPolicyValues;

  @Field(nested(AiLimits), { description: 'How much at a time, and in a month.' })
  limits!: AiLimits;

  @Field(listOf(nested(BudgetUsage), { max: 200 }), {
    description: 'The budgets that are enabled, the oldest 200; see `/api/ai/budgets` for all.',
  })
  budgets!: BudgetUsage[];

  @Field(listOf(nested(AiUsageEntry), { max: 1_000 }), {
    description: 'Sums over the ledger; by day every day of the span, else what cost most first.',
  })
  usage!: AiUsageEntry[];
}
