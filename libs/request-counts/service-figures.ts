import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { LATENCY_BOUNDS_MS } from './request-counts.js';
import type { Span } from './span.js';

const BUCKETS = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, i) => `sum(good_latency[${i + 1}])::bigint`);
const BY_MINUTE = `
  select (extract(epoch from minute) * 1000)::bigint as "atMs", sum(good)::bigint as good, sum(bad)::bigint as bad,
    to_json(array[${BUCKETS.join(', ')}]) as latency
  from data.request_minutes
  where tenant_id = $1 and minute >= $2::timestamptz and minute < $3::timestamptz
  group by minute order by minute`;

/** Valid events of one minute. */
export interface ServiceMinute {
  /** Start of the minute. */
  atMs: number;
  good: number;
  bad: number;
  /** Latency of the good ones, by the buckets of {@link LATENCY_BOUNDS_MS}. */
  latency: number[];
}

/** Valid requests of the current tenant: good ones, and those that failed. */
@Injectable()
export class ServiceFigures {
  constructor(private readonly database: Database) {}

  /** In order; minutes without valid events are omitted. Kept for 100 days. */
  byMinute({ fromMs, toMs }: Span): Promise<ServiceMinute[]> {
    const range = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
    return this.database.read<ServiceMinute>(statement(BY_MINUTE, [currentTenant().id, ...range]));
  }
}
