import { LATENCY_BOUNDS_MS } from '#libs/request-counts/request-counts.js';
import { HOURS_KEPT_DAYS } from '#libs/request-counts/request-rollup.js';
import { DELIVERY_MS, type Indicator } from './slo.js';

/** The records that an indicator counts, as SQL with the columns at, good and bad; those of deliveries and jobs have `began`. */
export interface Source {
  /** Parameters: tenant, start (included), end (excluded), then {@link values}. */
  text: string;
  values: unknown[];
  /** Days for which the records are kept; null if they are never deleted. */
  keptDays: number | null;
}

const within = (column: string) => `tenant_id = $1 and ${column} >= $2::timestamptz and ${column} < $3::timestamptz`;

const ofTenant = (good: string) => `
  select minute as at, ${good} as good, good + bad - ${good} as bad from data.request_minutes where ${within('minute')}`;

/** Minutes become hours after a while, so both tables are read. */
const ofRoutes = (good: string) => `
  select minute as at, ${good} as good, good + bad - ${good} as bad from data.request_stats_minute
    where ${within('minute')} and route like $4
  union all
  select hour, ${good}, good + bad - ${good} from data.request_stats_hour where ${within('hour')} and route like $4`;

/** Good events within a bound of the histogram. */
const inTime = (thresholdMs: number) => {
  const buckets = LATENCY_BOUNDS_MS.filter((bound) => bound <= thresholdMs).length;
  return `(select coalesce(sum(n), 0)::bigint from unnest(good_latency[1:${buckets}]) n)`;
};

/**
 * A delivery counts when it is decided: when it is delivered in time, when it was refused for good, or when the time is
 * over. Those that wait for somebody to resume an endpoint, or were skipped by somebody, do not count.
 */
const DELIVERIES = `
  select at, began, is_good::integer as good, (not is_good)::integer as bad
  from (
    select created_at as began, is_good,
      case when is_good then delivered_at when status = 'exhausted' then least(deadline, coalesce((
        select max(a.started_at + a.duration_ms * interval '1 millisecond') from data.webhook_attempts a
        where a.tenant_id = $1 and a.delivery_id = d.id), deadline)) else deadline end as at
    from (
      select id, status, created_at, delivered_at, created_at + $4 * interval '1 millisecond' as deadline,
        coalesce(delivered_at <= created_at + $4 * interval '1 millisecond', false) as is_good
      from data.webhook_deliveries
      where tenant_id = $1 and created_at >= $2::timestamptz - $4 * interval '1 millisecond' and created_at < $3::timestamptz
        and status not in ('held', 'skipped')) d) decided
  where at >= $2::timestamptz and at < $3::timestamptz`;

const JOBS = `
  select finished_at as at, finished_at as began, (status = 'succeeded')::integer as good, (status = 'failed')::integer as bad
  from data.ai_jobs where ${within('finished_at')} and status in ('succeeded', 'failed')`;

/** What an indicator counts. @param eventDays days for which deliveries are kept */
export function sourceOf({ kind, routePattern, thresholdMs }: Indicator, eventDays: number): Source {
  switch (kind) {
    case 'availability':
    case 'latency':
      return requests(routePattern, kind === 'latency' ? thresholdMs : null);
    case 'webhook_delivery':
      return { text: DELIVERIES, values: [thresholdMs ?? DELIVERY_MS], keptDays: eventDays };
    case 'ai_success':
      return { text: JOBS, values: [], keptDays: null };
  }
}

function requests(routePattern: string | null, thresholdMs: number | null): Source {
  const good = thresholdMs === null ? 'good' : inTime(thresholdMs);
  const common = { keptDays: HOURS_KEPT_DAYS };
  if (routePattern === null) return { text: ofTenant(good), values: [], ...common };
  return { text: ofRoutes(good), values: [likeOf(routePattern)], ...common };
}

function likeOf(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/g, (each) => `\\${each}`).replaceAll('*', '%');
}
