import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import type { DaySpan } from '#libs/kernel/day-span.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { NO_KEY } from './request-counts.js';

/** Request totals. */
export interface RequestSums {
  reads: number;
  writes: number;
  /** Rejected by the rate limiter and therefore not in the other counts. */
  rateLimited: number;
  errors4xx: number;
  errors5xx: number;
  idempotentReplays: number;
}

const READ = `method in ('GET', 'HEAD')`;
const SUMS = `coalesce(sum(counted) filter (where ${READ}), 0)::bigint as reads,
  coalesce(sum(counted) filter (where not ${READ}), 0)::bigint as writes,
  coalesce(sum(refused), 0)::bigint as "rateLimited", coalesce(sum(c4xx), 0)::bigint as "errors4xx",
  coalesce(sum(c5xx), 0)::bigint as "errors5xx", coalesce(sum(replays), 0)::bigint as "idempotentReplays"`;
// $4 are the requested keys; null for all keys and for requests without one.
const WITHIN = `from data.request_key_days
  where tenant_id = $1 and date between $2 and $3 and ($4::uuid[] is null or key_id = any($4::uuid[]))`;
const OWN = `($4::uuid[] is null or credential_id = any(array(select directory.key_credentials($4::uuid[]))))`;
const withinHours = (column: string) =>
  `tenant_id = $1 and ${column} >= $2::timestamptz and ${column} < $3::timestamptz and ${OWN}`;
const BY_DAY = `select date, ${SUMS} ${WITHIN} group by date`;
const SOME = 'having sum(counted) + sum(refused) > 0';
const BY_KEY = `select nullif(key_id, '${NO_KEY}') as "keyId", ${SUMS} ${WITHIN} group by key_id ${SOME}
  order by sum(counted) desc, key_id limit $5`;
const BY_ROUTE = `select method, route, ${SUMS} ${WITHIN} group by method, route ${SOME}
  order by sum(counted) desc, route, method limit $5`;
const PERMISSIONS = `select distinct permission ${WITHIN.replace(
  'from data.request_key_days',
  'from data.request_key_days cross join unnest(permissions) as permission',
)} order by permission`;

/** Minutes are rolled up into hours after a while, so both tables are read. */
const BY_HOUR = `select hour,
    coalesce(sum(count) filter (where ${READ}), 0)::bigint as reads,
    coalesce(sum(count) filter (where not ${READ}), 0)::bigint as writes, sum(c429)::bigint as "rateLimited",
    sum(c4xx)::bigint as "errors4xx", sum(c5xx)::bigint as "errors5xx", sum(replays)::bigint as "idempotentReplays"
  from (
    select date_trunc('hour', minute) as hour, method, count, c429, c4xx, c5xx, replays from data.request_stats_minute
      where ${withinHours('minute')}
    union all
    select hour, method, count, c429, c4xx, c5xx, replays from data.request_stats_hour where ${withinHours('hour')}) s
  group by hour`;

/**
 * Stored request statistics of the current tenant's keys, by day and route. `keys` null includes all keys and sessions.
 */
@Injectable()
export class KeyFigures {
  constructor(private readonly database: Database) {}

  /** Days without requests are omitted. */
  byDay(span: DaySpan, keys: readonly string[] | null): Promise<(RequestSums & { date: string })[]> {
    return this.read(BY_DAY, span, keys);
  }

  /** Hours without requests are omitted. */
  byHour({ from, to }: DaySpan, keys: readonly string[] | null): Promise<(RequestSums & { hour: string })[]> {
    return this.read(BY_HOUR, { from: `${from}T00:00:00Z`, to: `${to}T24:00:00Z` }, keys);
  }

  /** The keys with the most requests, busiest first; null stands for the requests of sessions. */
  byKey(
    span: DaySpan,
    keys: readonly string[] | null,
    most: number,
  ): Promise<(RequestSums & { keyId: string | null })[]> {
    return this.read(BY_KEY, span, keys, most);
  }

  /** The routes with the most requests, the busiest first. */
  byRoute(
    span: DaySpan,
    keys: readonly string[] | null,
    most: number,
  ): Promise<(RequestSums & { method: string; route: string })[]> {
    return this.read(BY_ROUTE, span, keys, most);
  }

  /** Permissions that the keys' successful requests (below 400) required. */
  async permissions(span: DaySpan, keys: readonly string[]): Promise<string[]> {
    const rows = await this.read<{ permission: string }>(PERMISSIONS, span, keys);
    return rows.map(({ permission }) => permission);
  }

  private read<R extends object>(
    text: string,
    { from, to }: DaySpan,
    keys: readonly string[] | null,
    ...more: number[]
  ): Promise<R[]> {
    return this.database.read<R>(statement(text, [currentTenant().id, from, to, keys, ...more]));
  }
}
