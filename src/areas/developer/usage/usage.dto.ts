import { civilDate, Field, id, instant, integer, listOf, nested, oneOf, text } from '#libs/http/field.js';
import { PLAN_NAMES } from '#libs/auth/plans.js';

/** Maximum number of days in one response. */
export const MOST_DAYS = 92;
/** Maximum number of days in one response by hour. */
export const MOST_DAYS_BY_HOUR = 7;
/** Maximum number of keys, and of routes, in one response; the busiest are shown. */
export const MOST_NAMED = 200;
const GROUPS = ['day', 'hour', 'key', 'route'] as const;
const COUNT = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

export class UsageQuery {
  @Field(civilDate(), {
    description: `First day (UTC). Defaults to the 30 days that end with \`to\`; at most ${MOST_DAYS} days.`,
    example: '2026-11-01',
    optional: true,
  })
  from?: string;

  @Field(civilDate(), { description: 'Last day (UTC); defaults to today.', example: '2026-11-21', optional: true })
  to?: string;

  @Field(oneOf(GROUPS), {
    description: `Grouping of \`series\`; defaults to \`day\`. With \`hour\`, a span has at most ${MOST_DAYS_BY_HOUR} days, which is also the default.`,
    optional: true,
  })
  groupBy?: (typeof GROUPS)[number];
}

/** Sums of requests. */
export class UsageSums {
  @Field(COUNT, { description: 'GET and HEAD requests, as counted by the rate limiter.', example: 1_820 })
  reads!: number;

  @Field(COUNT, { description: 'All other methods.', example: 96 })
  writes!: number;

  @Field(COUNT, { description: 'Of these, answered with 4xx.', example: 17 })
  errors4xx!: number;

  @Field(COUNT, { description: 'Of these, answered with 5xx.', example: 0 })
  errors5xx!: number;

  @Field(COUNT, { description: 'Refused with 429; not included in the other numbers.', example: 3 })
  rateLimited!: number;

  @Field(COUNT, {
    description: 'Answered with a stored response because the idempotency key had been used before.',
    example: 2,
  })
  idempotentReplays!: number;
}

export class UsageGroup extends UsageSums {
  @Field(text({ max: 600 }), {
    description: 'Day, start of the hour, id of the key, or method and route.',
    example: '2026-11-21',
  })
  group!: string;
}

export class KeyUsage extends UsageSums {
  @Field(id(), {
    description: 'API key; null for the requests of all sessions.',
    example: '019aa5f4-9a52-7c31-8c1e-0c9a4a3f1b20',
    nullable: true,
  })
  keyId!: string | null;

  @Field(text({ max: 200 }), {
    description: 'Name of the key; null if it no longer exists, and for sessions.',
    nullable: true,
  })
  name!: string | null;
}

export class RouteUsage extends UsageSums {
  @Field(text({ max: 10 }), { description: 'HTTP method.', example: 'GET' })
  method!: string;

  @Field(text({ max: 500 }), { description: 'Path with its parameters.', example: '/api/v1/sales/deals/:id' })
  route!: string;
}

export class CurrentUsage {
  @Field(instant(), { description: 'Start of the current window of the rate limits.' })
  windowStart!: string;

  @Field(COUNT, { description: 'Reads in the current window.', example: 3 })
  reads!: number;

  @Field(COUNT, { description: 'Reads that are still allowed now.', example: 597 })
  readsRemaining!: number;

  @Field(COUNT, { description: 'Writes in the current window.', example: 0 })
  writes!: number;

  @Field(COUNT, { description: 'Writes that are still allowed now.', example: 120 })
  writesRemaining!: number;

  @Field(instant(), {
    description: 'Time at which the oldest request leaves the window; null when it is empty.',
    nullable: true,
  })
  resetAt!: string | null;
}

export class WebhookUsage {
  @Field(COUNT, { description: 'Deliveries of events of these days that are still stored.', example: 420 })
  deliveries!: number;

  @Field(COUNT, { description: 'Of these, delivered.', example: 412 })
  delivered!: number;

  @Field(COUNT, { description: 'Of these, failed after the last attempt.', example: 3 })
  failed!: number;

  @Field(COUNT, { description: 'Attempts for these deliveries, including failed ones.', example: 455 })
  attempts!: number;
}

export class ClassUsage {
  @Field(COUNT, {
    description: 'Requests counted by the rate limiter, including this one, regardless of their outcome.',
    example: 1820,
  })
  requests!: number;

  @Field(COUNT, { description: 'Requests refused with 429, which do not count toward the rate limit.', example: 3 })
  refused!: number;

  @Field(COUNT, { description: 'Counted requests that were answered with 4xx or 5xx.', example: 17 })
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

  @Field(COUNT, { description: 'Requests that are still allowed now.', example: 597 })
  remaining!: number;

  @Field(instant(), {
    description: 'Time at which the oldest counted request leaves the window; null when it is empty.',
    nullable: true,
  })
  resetsAt!: string | null;
}

export class LimitsByClass {
  @Field(nested(LimitUsage), { description: 'GET and HEAD.' })
  read!: LimitUsage;

  @Field(nested(LimitUsage), { description: 'All other methods.' })
  write!: LimitUsage;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Reads allowed in any 60 seconds.', example: 600 })
  readsPerMinute!: number;

  @Field(integer({ min: 1, max: 2_147_483_647 }), { description: 'Writes allowed in any 60 seconds.', example: 120 })
  writesPerMinute!: number;
}

/** Sums of the requests of the whole tenant, in total and by class. */
export class UsageTotals extends UsageSums {
  @Field(nested(ClassUsage), { description: 'GET and HEAD.' })
  read!: ClassUsage;

  @Field(nested(ClassUsage), { description: 'All other methods.' })
  write!: ClassUsage;
}

export class AiCost {
  @Field(COUNT, {
    description:
      'Cost of AI jobs in millionths of the tenant’s currency unit, from the same ledger as `/api/ai/usage`; null beyond the range of exact integers.',
    example: 61_500,
    nullable: true,
  })
  costMicros!: number | null;
}

export class Usage {
  @Field(oneOf(PLAN_NAMES), { description: 'Plan of the tenant.', example: 'starter' })
  plan!: string;

  @Field(nested(LimitsByClass), { description: 'The rate limits of the plan and what is left of them.' })
  limits!: LimitsByClass;

  @Field(civilDate(), { description: 'First day (UTC).', example: '2026-10-23' })
  from!: string;

  @Field(civilDate(), { description: 'Last day (UTC).', example: '2026-11-21' })
  to!: string;

  @Field(listOf(nested(UsageDay), { max: MOST_DAYS }), { description: 'Every day of the span in order.' })
  days!: UsageDay[];

  @Field(nested(UsageTotals), { description: 'Sum over all days for the whole tenant.' })
  totals!: UsageTotals;

  @Field(nested(CurrentUsage), { description: 'Current use of the rate limits.' })
  current!: CurrentUsage;

  @Field(listOf(nested(UsageGroup), { max: 200 }), {
    description: 'Your own requests, grouped by `groupBy`. Days and hours without requests are included.',
  })
  series!: UsageGroup[];

  @Field(listOf(nested(KeyUsage), { max: MOST_NAMED }), {
    description: 'Your own keys with requests on these days, busiest first.',
  })
  byKey!: KeyUsage[];

  @Field(listOf(nested(RouteUsage), { max: MOST_NAMED }), {
    description: 'Routes that you called on these days, busiest first.',
  })
  byRoute!: RouteUsage[];

  @Field(nested(WebhookUsage), { description: 'Webhooks of the tenant.' })
  webhooks!: WebhookUsage;

  @Field(nested(AiCost), { description: 'AI jobs on these days.' })
  ai!: AiCost;

  @Field(instant(), { description: 'Time at which this was measured.' })
  asOf!: string;

  @Field(instant(), {
    description:
      'Requests before this instant are fully counted. Later ones are counted only if the responding process served them.',
  })
  completeTo!: string;
}
