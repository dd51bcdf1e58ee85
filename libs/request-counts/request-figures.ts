import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { LATENCY_BOUNDS_MS } from './request-counts.js';
import type { Span } from './span.js';

const SUMS = ['c2xx', 'c4xx', 'c429', 'c5xx', 'bytes_out'];
const COLUMNS = ['route', 'method', 'credential_kind', 'credential_id', ...SUMS, 'latency'].join(', ');
const BUCKETS = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, i) => `sum(latency[${i + 1}])::bigint`);
const KEYS = `select credential_id, k.id as key_id, k.name
  from directory.api_keys(null) k cross join lateral directory.key_credentials(array[k.id]) as c (credential_id)`;

/** What to group by: SQL over a request `s` and its API key `k`, if any. */
const GROUPS = {
  minute: { key: `to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:00.000"Z"')`, name: 'null::text' },
  hour: { key: `to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00.000"Z"')`, name: 'null::text' },
  route: { key: `s.method || ' ' || s.route`, name: 'null::text' },
  area: { key: `coalesce((regexp_match(s.route, '^/api/(?:v1/)?([^/:]+)'))[1], s.route)`, name: 'null::text' },
  credential: { key: 'coalesce(k.key_id::text, s.credential_kind)', name: 'k.name' },
} as const;
export type RequestGrouping = keyof typeof GROUPS;

/** Minutes are rolled up into hours after a while, so both tables are read. */
const grouped = ({ key, name }: (typeof GROUPS)[RequestGrouping]) => `
  with keys as materialized (${KEYS}),
    s as (
      select minute as at, ${COLUMNS} from data.request_stats_minute
        where tenant_id = $1 and minute >= $2::timestamptz and minute < $3::timestamptz and ($4::text is null or route = $4)
      union all
      select hour, ${COLUMNS} from data.request_stats_hour
        where tenant_id = $1 and hour >= $2::timestamptz and hour < $3::timestamptz and ($4::text is null or route = $4))
  select ${key} as "group", ${name} as name, sum(c2xx + c4xx + c5xx)::bigint as requests, sum(c2xx)::bigint as succeeded,
    sum(c4xx)::bigint as "errors4xx", sum(c5xx)::bigint as "errors5xx", sum(c429)::bigint as "rateLimited",
    sum(bytes_out)::bigint as "bytesOut", to_json(array[${BUCKETS.join(', ')}]) as latency
  from s left join keys k using (credential_id)
  group by 1, 2 having sum(c2xx + c4xx + c5xx + c429) > 0 order by requests desc, 1`;

/** The requests of a group. */
export interface GroupedRequests {
  group: string;
  name: string | null;
  /** With a response other than the limiter's 429. */
  requests: number;
  succeeded: number;
  errors4xx: number;
  errors5xx: number;
  rateLimited: number;
  bytesOut: number;
  /** Number of responses by the buckets of {@link LATENCY_BOUNDS_MS}. */
  latency: number[];
}

/** The requests of the current tenant by time, route, area or credential. Kept by the hour for 100 days. */
@Injectable()
export class GroupedRequestFigures {
  constructor(private readonly database: Database) {}

  /**
   * Groups with requests, the busiest first. A span that begins before minutes are kept begins and ends with an hour.
   * @param route only requests to it
   */
  read({ fromMs, toMs }: Span, grouping: RequestGrouping, route?: string): Promise<GroupedRequests[]> {
    const range = [fromMs, toMs].map((each) => new Date(each).toISOString());
    const values = [currentTenant().id, ...range, route ?? null];
    return this.database.read<GroupedRequests>(statement(grouped(GROUPS[grouping]), values));
  }
}
