import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { LATENCY_BOUNDS_MS } from './request-counts.js';
import type { Span } from './span.js';

const BUCKETS = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, i) => `sum(latency[${i + 1}])::bigint`);
const RESPONSES = '(c2xx + c4xx + c5xx)';
const BY_ROUTE = `
  select method, route, sum(c2xx)::bigint as "c2xx", sum(c4xx)::bigint as "c4xx", sum(c429)::bigint as "c429",
    sum(c5xx)::bigint as "c5xx", to_json(array[${BUCKETS.join(', ')}]) as latency,
    case when bool_and(max_ms is not null or ${RESPONSES} = 0) then max(max_ms) end as "maxMs"
  from data.request_stats_minute
  where tenant_id = $1 and minute >= $2::timestamptz and minute < $3::timestamptz
    and ($4::uuid is null or process_id = $4) and ($5::text is null or route = $5)
  group by method, route`;

/** Responses of one route. */
export interface RouteFigures {
  method: string;
  /** Template, e.g. `/api/v1/sales/deals/:id`. */
  route: string;
  /** Responses below 400. */
  c2xx: number;
  c4xx: number;
  /** Refused by the rate limiter; not in the other classes. */
  c429: number;
  c5xx: number;
  /** By the buckets of {@link LATENCY_BOUNDS_MS}. */
  latency: number[];
  /** Null if it was not recorded for all responses. */
  maxMs: number | null;
}

/** Responses to the current tenant, by route. */
@Injectable()
export class PerformanceFigures {
  constructor(private readonly database: Database) {}

  /**
   * Not sorted; routes without requests are omitted. Kept for 14 days.
   * @param processId limits the figures to one process; null for all.
   */
  byRoute(
    { fromMs, toMs }: Span,
    { processId, route }: { processId: string | null; route: string | null },
  ): Promise<RouteFigures[]> {
    const range = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
    return this.database.read<RouteFigures>(statement(BY_ROUTE, [currentTenant().id, ...range, processId, route]));
  }
}
