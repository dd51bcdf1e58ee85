import { Field, flag, id, instant, integer, listOf, nested, number, oneOf, text } from '#libs/http/field.js';
import { QUEUES, type QueueName } from './queue-statistics.js';

export const WINDOWS = ['5m', '1h', '24h', '7d'] as const;
export type WindowName = (typeof WINDOWS)[number];
export const SORTS = ['p95', 'count', 'errors'] as const;
export type Sort = (typeof SORTS)[number];
export const SCOPES = ['tenant', 'process'] as const;
export type Scope = (typeof SCOPES)[number];
/** Routes in one response. */
export const MOST_ROUTES = 100;
export const MOST_STATEMENTS = 10;
export const REASONS = ['extension_missing', 'not_loaded', 'not_permitted', 'no_replica', 'not_recorded'] as const;
export type Reason = (typeof REASONS)[number];

const count = () => integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const amount = () => number({ min: 0, max: Number.MAX_SAFE_INTEGER });
const percent = () => number({ min: 0, max: 100 });
const ms = (description: string, example: number) =>
  Field(amount(), { description: `${description}, ms; null without any.`, example, nullable: true });
const routeText = () => text({ min: 1, max: 500 });

export class PerformanceQuery {
  @Field(oneOf(WINDOWS), { description: 'Period of `http` and `routes`; `1h` by default.', optional: true })
  window?: WindowName;

  @Field(routeText(), {
    description: 'Only requests of this route, as in `routes`.',
    example: '/api/v1/sales/deals/:id',
    optional: true,
  })
  route?: string;

  @Field(oneOf(SORTS), {
    description: 'Order of `routes`: slowest, most requests (the default) or most 5xx responses first.',
    optional: true,
  })
  sort?: Sort;

  @Field(oneOf(SCOPES), {
    description:
      'Whether `http` and `routes` count your requests to all API processes (`tenant`, the default), or only those to the process that answers.',
    optional: true,
  })
  scope?: Scope;
}

export class PerformancePeriod {
  @Field(instant(), { description: 'Start: not before the tenant was created or, by process, the process started.' })
  from!: string;

  @Field(instant(), { description: 'End (excluded).' })
  to!: string;

  @Field(percent(), {
    description: 'Share of its minutes in which the API was up. Nothing is known about the others.',
    example: 100,
  })
  coveragePercent!: number;
}

export class EventLoopDelays {
  @Field(amount(), { description: 'Median, ms.', example: 0.4 })
  p50Ms!: number;

  @Field(amount(), { description: '99th percentile, ms.', example: 3.1 })
  p99Ms!: number;

  @Field(amount(), { description: 'Longest, ms.', example: 12.8 })
  maxMs!: number;
}

export class ProcessMemory {
  @Field(count(), { description: 'Resident memory, bytes.', example: 188_743_680 })
  rssBytes!: number;

  @Field(count(), { description: 'Used heap of JavaScript, bytes.', example: 96_468_992 })
  heapUsedBytes!: number;
}

export class ProcessPerformance {
  @Field(id(), { description: 'Id of the API process that answers.' })
  id!: string;

  @Field(text({ max: 20 }), { description: 'Version of the platform.', example: '1.0.0' })
  version!: string;

  @Field(count(), { description: 'Seconds since its start.', example: 86_400 })
  uptimeSeconds!: number;

  @Field(nested(ProcessMemory), { description: 'Memory now.' })
  memory!: ProcessMemory;

  @Field(amount(), { description: 'CPU time in percent of one core.', example: 12.4 })
  cpuPercent!: number;

  @Field(nested(EventLoopDelays), {
    description: 'How late the event loop ran its timers; null in the first moments after the start.',
    nullable: true,
  })
  eventLoopDelayMs!: EventLoopDelays | null;

  @Field(count(), { description: 'Seconds that `cpuPercent` and `eventLoopDelayMs` describe.', example: 60 })
  sampledSeconds!: number;
}

export class StatusClasses {
  @Field(count(), { description: 'Below 400.', example: 9_812 }) c2xx!: number;
  @Field(count(), { description: '400 to 499, without 429 of the rate limits.', example: 174 }) c4xx!: number;
  @Field(count(), { description: '500 and above.', example: 2 }) c5xx!: number;
}

class Responses {
  @Field(count(), { description: 'Responses, without those of the rate limits.', example: 9_988 })
  count!: number;

  @ms('Median time to the response', 12)
  p50Ms!: number | null;

  @ms('95th percentile', 48)
  p95Ms!: number | null;

  @ms('99th percentile', 180)
  p99Ms!: number | null;
}

export class HttpPerformance extends Responses {
  @Field(amount(), {
    description: 'Responses per second of the covered minutes; null without any.',
    example: 2.774,
    nullable: true,
  })
  rps!: number | null;

  @ms('Longest', 612)
  maxMs!: number | null;

  @Field(nested(StatusClasses), { description: 'Responses by status.' })
  byStatusClass!: StatusClasses;

  @Field(count(), { description: 'Requests refused by the rate limits; not in the other figures.', example: 3 })
  rateLimited!: number;

  @Field(count(), { description: 'Your other requests that this process is working on now.', example: 1 })
  inFlight!: number;
}

export class RoutePerformance extends Responses {
  @Field(text({ max: 10 }), { description: 'HTTP method.', example: 'GET' })
  method!: string;

  @Field(routeText(), { description: 'Path with its parameters.', example: '/api/v1/sales/deals/:id' })
  route!: string;

  @Field(number({ min: 0, max: 1 }), {
    description: '5xx ÷ `count`, from 0 to 1; null without responses.',
    example: 0.0002,
    nullable: true,
  })
  errorRate!: number | null;
}

export class PoolPerformance {
  @Field(count(), { description: 'Open connections of this process.', example: 10 }) total!: number;
  @Field(count(), { description: 'Of these, unused.', example: 8 }) idle!: number;
  @Field(count(), { description: 'Requests that wait for a connection.', example: 0 }) waiting!: number;
  @ms('95th percentile of the time until a connection was free', 0.02) acquireP95Ms!: number | null;
}

export class SlowStatement {
  @Field(text({ max: 20 }), { description: 'Query id of PostgreSQL.', example: '-7437246892711234567' })
  fingerprint!: string;

  @Field(text({ max: 300 }), {
    description: 'Beginning of the statement, with placeholders for all values.',
    example: 'select t.id, t.name from data.deals t where t.tenant_id = $1 order by t.created_at desc limit $2',
  })
  statement!: string;

  @Field(count(), { description: 'Executions.', example: 41_220 })
  calls!: number;

  @Field(amount(), { description: 'Mean time, ms. PostgreSQL keeps no percentiles.', example: 3.412 })
  meanMs!: number;

  @Field(amount(), { description: 'Longest time, ms.', example: 210.006 })
  maxMs!: number;
}

export class DatabasePerformance {
  @Field(nested(PoolPerformance), { description: 'Connection pool of this process.' })
  pool!: PoolPerformance;

  @ms('Median round trip of this process', 0.8)
  queryP50Ms!: number | null;

  @ms('95th percentile', 4.1)
  queryP95Ms!: number | null;

  @Field(count(), { description: 'Last seconds that these times and `acquireP95Ms` describe.', example: 480 })
  sampledSeconds!: number;

  @Field(listOf(nested(SlowStatement), { max: MOST_STATEMENTS }), {
    description:
      'Statements of the API with the highest mean time, of all tenants, from `pg_stat_statements`; null if that is unavailable.',
    nullable: true,
  })
  slowest!: SlowStatement[] | null;

  @Field(instant(), { description: 'Since when `slowest` is counted; null if unknown.', nullable: true })
  slowestSince!: string | null;

  @Field(count(), { description: 'Size of the database, bytes.', example: 734_003_200 })
  sizeBytes!: number;

  @Field(number({ min: 0, max: 1 }), {
    description:
      'Share of the read pages that were cached since the statistics were reset, from 0 to 1; null without reads.',
    example: 0.997,
    nullable: true,
  })
  cacheHitRatio!: number | null;

  @Field(amount(), {
    description: 'Age of the oldest open transaction of API processes, seconds; null without any.',
    example: 0.02,
    nullable: true,
  })
  longestTransactionSeconds!: number | null;

  @Field(amount(), {
    description: 'How far the slowest replica is behind, seconds; null if unavailable.',
    example: 0.3,
    nullable: true,
  })
  replicationLagSeconds!: number | null;
}

export class QueuePerformance {
  @Field(oneOf(QUEUES), {
    description:
      '`webhooks`: deliveries; `automations`: flows and timers; `ai_jobs`: AI jobs; `jobs`: asynchronous operations.',
    example: 'webhooks',
  })
  name!: QueueName;

  @Field(count(), { description: 'Due entries that nobody works on.', example: 4 })
  waiting!: number;

  @Field(count(), { description: 'Entries in progress; null if unavailable.', example: 2, nullable: true })
  active!: number | null;

  @Field(count(), { description: 'Entries that are due later, or wait for approval.', example: 11 })
  delayed!: number;

  @Field(count(), { description: 'Attempts of the last hour that failed.', example: 0 })
  failed!: number;

  @Field(amount(), {
    description: 'How long the oldest waiting entry is due, seconds; null without any.',
    nullable: true,
  })
  oldestSeconds!: number | null;

  @Field(count(), { description: 'Attempts that ended in the last hour.', example: 1_240 })
  processedLastHour!: number;

  @ms('95th percentile from entry to end, of those that succeeded in the last hour', 420)
  p95Ms!: number | null;
}

export class WorkerPerformance {
  @Field(flag(), { description: 'Whether a worker is running.', example: true })
  present!: boolean;

  @Field(count(), { description: 'Age of the oldest event without deliveries, seconds.', example: 0, nullable: true })
  relaySeconds!: number | null;

  @Field(count(), { description: 'Age of the oldest unsealed audit entry, seconds.', example: 1, nullable: true })
  sealingSeconds!: number | null;

  @Field(count(), { description: 'How long the oldest mail is due, seconds.', example: 0, nullable: true })
  mailSeconds!: number | null;

  @Field(instant(), {
    description: 'When a worker measured these lags, over all tenants; they are null before the first time.',
    nullable: true,
  })
  measuredAt!: string | null;
}

export class Unavailable {
  @Field(text({ max: 60 }), { description: 'Path of the figure.', example: 'database.slowest' })
  figure!: string;

  @Field(oneOf(REASONS), {
    description:
      'Why it is null. `extension_missing`: the operator has not created `pg_stat_statements` in the database; `not_loaded`: the server does not load it; `not_permitted`: the API may not read it; `no_replica`: there is none; `not_recorded`: the platform does not record it, or did not for the whole period.',
    example: 'extension_missing',
  })
  reason!: Reason;
}

export class Performance {
  @Field(oneOf(SCOPES), { description: 'Counted requests.', example: 'tenant' })
  scope!: Scope;

  @Field(nested(PerformancePeriod), { description: 'Period of `http` and `routes`.' })
  period!: PerformancePeriod;

  @Field(nested(HttpPerformance), { description: 'Requests of your tenant.' })
  http!: HttpPerformance;

  @Field(listOf(nested(RoutePerformance), { max: MOST_ROUTES }), {
    description: 'By route; the first in the order of `sort`.',
  })
  routes!: RoutePerformance[];

  @Field(nested(ProcessPerformance), { description: 'The API process that answers.' })
  process!: ProcessPerformance;

  @Field(nested(DatabasePerformance), { description: 'The database.' })
  database!: DatabasePerformance;

  @Field(listOf(nested(QueuePerformance), { max: QUEUES.length }), { description: 'Background work of your tenant.' })
  queues!: QueuePerformance[];

  @Field(nested(WorkerPerformance), { description: 'The worker processes.' })
  worker!: WorkerPerformance;

  @Field(listOf(nested(Unavailable), { max: 20 }), {
    description: 'Figures that are null because they cannot be measured.',
  })
  unavailable!: Unavailable[];

  @Field(instant(), { description: 'Time of the measurement.' })
  measuredAt!: string;
}
