import { Field, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';

export const GROUPINGS = ['time', 'route', 'area', 'credential'] as const;
export type Grouping = (typeof GROUPINGS)[number];
/** Maximum length of a span. */
export const MOST_DAYS = 31;
/** Maximum number of groups other than times. */
export const MOST_GROUPS = 200;
/** A time for each hour of the longest span. */
const MOST_TIMES = MOST_DAYS * 24 + 1;

const COUNT = integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const PERCENT = number({ min: 0, max: 100 });
const ms = () => number({ min: 0, max: 3_600_000 });
const ROUTE = text({
  min: 1,
  max: 300,
  pattern: /^\/[A-Za-z0-9_/:.-]*$/,
  form: 'a path such as /api/v1/sales/deals/:id',
});

/** What to measure. */
export class RequestQuestion {
  @Field(oneOf(GROUPINGS), {
    description:
      '`time`: by minute for spans of up to 6 hours, by hour for longer ones. `route`: by method and path. `area`: by functional area, such as `sales`. `credential`: by API key, and by kind for other credentials. `time` by default.',
    example: 'route',
    optional: true,
  })
  groupBy?: Grouping;

  @Field(instant(), {
    description: `Start; an hour before \`to\` by default, at most ${MOST_DAYS} days. Rounded down to the minute, or to the hour if it is more than 13 days ago.`,
    example: '2026-11-21T08:00:00.000Z',
    optional: true,
  })
  from?: string;

  @Field(instant(), {
    description: 'End, which is excluded; now by default, and not in the future. Rounded up like `from` down.',
    example: '2026-11-21T09:00:00.000Z',
    optional: true,
  })
  to?: string;

  @Field(ROUTE, {
    description: 'Only requests to this path, with parameters as in `/api/v1/sales/deals/:id`.',
    example: '/api/v1/sales/deals/:id',
    optional: true,
  })
  route?: string;
}

/** Requests by class of their status, and how long they took. */
export class RequestFigures {
  @Field(COUNT, { description: 'Requests with a response, except those refused by the rate limiter.', example: 1_916 })
  requests!: number;

  @Field(COUNT, { description: 'Of these, with a status below 400.', example: 1_896 })
  succeeded!: number;

  @Field(COUNT, { description: 'Of these, with a 4xx.', example: 17 })
  errors4xx!: number;

  @Field(COUNT, { description: 'Of these, with a 5xx.', example: 3 })
  errors5xx!: number;

  @Field(COUNT, { description: 'Refused with 429; not included in `requests`.', example: 3 })
  rateLimited!: number;

  @Field(PERCENT, {
    description: '5xx ÷ requests, in percent; null without requests.',
    example: 0.157,
    nullable: true,
  })
  errorPercent!: number | null;

  @Field(ms(), {
    description: 'Median time until the response was sent, interpolated in a histogram; null without requests.',
    example: 4.2,
    nullable: true,
  })
  p50Ms!: number | null;

  @Field(ms(), { description: 'The 95th percentile of this time.', example: 18.5, nullable: true })
  p95Ms!: number | null;

  @Field(ms(), { description: 'The 99th percentile of this time.', example: 46.1, nullable: true })
  p99Ms!: number | null;

  @Field(COUNT, { description: 'Bytes of the response bodies.', example: 4_810_220 })
  bytesOut!: number;
}

export class RequestGroup extends RequestFigures {
  @Field(text({ max: 600 }), {
    description: 'Start of the minute or hour, method and path, area, id of the API key, or kind of credential.',
    example: 'GET /api/v1/sales/deals',
  })
  group!: string;

  @Field(text({ max: 200 }), {
    description: 'Name of the API key; null for other groups.',
    nullable: true,
    example: null,
  })
  name!: string | null;

  @Field(COUNT, {
    description: 'For times: minutes since the tenant was created in which no process was up. Null for other groups.',
    nullable: true,
    example: null,
  })
  uncoveredMinutes!: number | null;
}

export class RequestCoverage {
  @Field(COUNT, {
    description: 'Minutes since the tenant was created in which no process was up to count requests.',
    example: 0,
  })
  uncoveredMinutes!: number;

  @Field(PERCENT, {
    description: 'Share of the other minutes, rounded down; null for a span before the tenant was created.',
    example: 100,
    nullable: true,
  })
  coveredPercent!: number | null;
}

/** Requests of the tenant, as its API counted them. */
export class MeasuredRequests {
  @Field(instant(), { description: 'Start of the span.' })
  from!: string;

  @Field(instant(), { description: 'End of the span, excluded.' })
  to!: string;

  @Field(instant(), { description: 'Time of the measurement.' })
  asOf!: string;

  @Field(instant(), {
    description: 'Requests before this instant are fully counted. Later ones may be missing.',
  })
  completeTo!: string;

  @Field(nested(RequestCoverage), { description: 'For how much of the span requests were counted, up to now.' })
  coverage!: RequestCoverage;

  @Field(nested(RequestFigures), { description: 'All requests of the span.' })
  total!: RequestFigures;

  @Field(listOf(nested(RequestGroup), { max: MOST_TIMES }), {
    description: `Times in order, including those without requests; otherwise the ${MOST_GROUPS} groups with the most requests.`,
  })
  groups!: RequestGroup[];
}
