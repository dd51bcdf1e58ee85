import { civilDate, Field, instant, integer, listOf, nested, oneOf } from '#libs/http/field.js';
import { PLAN_NAMES } from '#libs/auth/plans.js';

/** Most days that one answer covers. */
export const MOST_DAYS = 92;
const COUNT = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

export class UsageQuery {
  @Field(civilDate(), {
    description: `First day (UTC). Without it the 30 days that end with \`to\`; at most ${MOST_DAYS} days.`,
    example: '2026-11-01',
    optional: true,
  })
  from?: string;

  @Field(civilDate(), { description: 'Last day (UTC); today without it.', example: '2026-11-21', optional: true })
  to?: string;
}

export class ClassUsage {
  @Field(COUNT, {
    description: 'Requests that the rate limiter counted, this one included, whatever they were answered with.',
    example: 1820,
  })
  requests!: number;

  @Field(COUNT, { description: 'Requests refused with 429, which do not count against the limit.', example: 3 })
  refused!: number;

  @Field(COUNT, { description: 'Requests among the counted ones that were answered with 4xx or 5xx.', example: 17 })
  errors!: number;
}

export class UsageByClass {
  @Field(nested(ClassUsage), { description: 'GET and HEAD.' })
  read!: ClassUsage;

  @Field(nested(ClassUsage), { description: 'All other methods.' })
  write!: ClassUsage;
}

export class UsageDay extends UsageByClass {
  @Field(civilDate(), { description: 'Day (UTC).', example: '2026-11-21' })
  date!: string;
}

export class LimitUsage {
  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Requests allowed in any window.', example: 600 })
  limit!: number;

  @Field(integer({ min: 1, max: 3_600 }), { description: 'Length of the window, seconds.', example: 60 })
  windowSeconds!: number;

  @Field(COUNT, { description: 'Requests that would be let through now.', example: 597 })
  remaining!: number;

  @Field(instant(), {
    description: 'Time at which the oldest counted request leaves the window; null when none is in it.',
    nullable: true,
  })
  resetsAt!: string | null;
}

export class LimitsByClass {
  @Field(nested(LimitUsage), { description: 'GET and HEAD.' })
  read!: LimitUsage;

  @Field(nested(LimitUsage), { description: 'All other methods.' })
  write!: LimitUsage;
}

export class AiCost {
  @Field(COUNT, {
    description:
      'What AI jobs cost, millionths of the tenant’s currency unit, by the same ledger as `/api/ai/usage`; null beyond the range of exact numbers.',
    example: 61_500,
    nullable: true,
  })
  costMicros!: number | null;
}

export class Usage {
  @Field(oneOf(PLAN_NAMES), { description: 'Plan of the tenant.', example: 'starter' })
  plan!: string;

  @Field(nested(LimitsByClass), { description: 'The limits of the plan and what is left of them now.' })
  limits!: LimitsByClass;

  @Field(civilDate(), { description: 'First day (UTC).', example: '2026-10-23' })
  from!: string;

  @Field(civilDate(), { description: 'Last day (UTC).', example: '2026-11-21' })
  to!: string;

  @Field(listOf(nested(UsageDay), { max: MOST_DAYS }), { description: 'Every day of the span, the first one first.' })
  days!: UsageDay[];

  @Field(nested(UsageByClass), { description: 'The sum of the days.' })
  totals!: UsageByClass;

  @Field(nested(AiCost), { description: 'AI jobs on these days.' })
  ai!: AiCost;

  @Field(instant(), { description: 'Time at which this was measured.' })
  asOf!: string;

  @Field(instant(), {
    description:
      'Everything before this instant is in the figures. Requests after it are if the process that answers now served them.',
  })
  completeTo!: string;
}
