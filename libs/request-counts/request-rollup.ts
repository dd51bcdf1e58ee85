import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { LATENCY_BOUNDS_MS } from './request-counts.js';

/** Days after which minutes are rolled up into hours. */
export const MINUTES_KEPT_DAYS = 14;
/** Days after which hours are rolled up into days; statistics of keys by day and of tenants by minute are deleted. */
export const HOURS_KEPT_DAYS = 100;

const BATCH = 5_000;
const PLACE = ['route', 'method', 'credential_kind', 'credential_id'];
const SUMS = ['count', 'c2xx', 'c4xx', 'c429', 'c5xx', 'replays', 'bytes_out', 'good', 'bad'];
const HISTOGRAMS = ['latency', 'good_latency'];
const BUCKETS = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, (_, i) => i + 1);

/**
 * Moves the oldest rows of one table into a coarser one. Each row is deleted and added in one statement; rows that
 * another worker is moving are skipped.
 */
function move(
  from: { table: string; column: string; before: string },
  to: { table: string; column: string; of: string },
) {
  return `
    with oldest as (
      select ctid from ${from.table} where tenant_id = $1 and ${from.column} < ${from.before}
      order by ${from.column} limit ${BATCH} for update skip locked),
    moved as (
      delete from ${from.table} where tenant_id = $1 and ctid in (select ctid from oldest) returning *),
    added as (
      insert into ${to.table} as t (tenant_id, ${to.column}, ${[...PLACE, ...SUMS, ...HISTOGRAMS].join(', ')})
      select $1, ${to.of}, ${PLACE.join(', ')}, ${SUMS.map((name) => `sum(${name})::bigint`).join(', ')},
        ${HISTOGRAMS.map((name) => `array[${BUCKETS.map((i) => `sum(${name}[${i}])::bigint`).join(', ')}]`).join(', ')}
      from moved group by ${to.of}, ${PLACE.join(', ')} order by ${to.of}, ${PLACE.join(', ')}
      on conflict (tenant_id, ${to.column}, route, method, credential_id) do update
        set ${SUMS.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')},
          ${HISTOGRAMS.map((name) => `${name} = array[${BUCKETS.map((i) => `t.${name}[${i}] + excluded.${name}[${i}]`).join(', ')}]`).join(', ')})
    select count(*)::int as moved from moved`;
}

const TO_HOURS = move(
  {
    table: 'data.request_stats_minute',
    column: 'minute',
    before: `date_trunc('hour', now() - interval '${MINUTES_KEPT_DAYS} days')`,
  },
  { table: 'data.request_stats_hour', column: 'hour', of: `date_trunc('hour', minute)` },
);
const TO_DAYS = move(
  {
    table: 'data.request_stats_hour',
    column: 'hour',
    before: `date_trunc('day', now() - interval '${HOURS_KEPT_DAYS} days')`,
  },
  { table: 'data.request_stats_day', column: 'date', of: `(hour at time zone 'UTC')::date` },
);

const FORGET_KEYS = `
  with old as (
    select ctid from data.request_key_days
    where tenant_id = $1 and date < (now() at time zone 'UTC')::date - ${HOURS_KEPT_DAYS} limit ${BATCH} for update skip locked),
  gone as (delete from data.request_key_days where tenant_id = $1 and ctid in (select ctid from old) returning 1)
  select count(*)::int as moved from gone`;

const FORGET_MINUTES = `
  with old as (
    select ctid from data.request_minutes
    where tenant_id = $1 and minute < now() - interval '${HOURS_KEPT_DAYS} days' limit ${BATCH} for update skip locked),
  gone as (delete from data.request_minutes where tenant_id = $1 and ctid in (select ctid from old) returning 1)
  select count(*)::int as moved from gone`;

/** Aggregates old statistics. Nothing is counted twice or lost, even with several workers. */
@Injectable()
export class RequestRollup {
  constructor(private readonly database: Database) {}

  /** Rolls up the due statistics of the current tenant. */
  async rollUp(tenantId: string): Promise<void> {
    await this.moveAll(statement(TO_HOURS, [tenantId]));
    await this.moveAll(statement(TO_DAYS, [tenantId]));
    await this.moveAll(statement(FORGET_KEYS, [tenantId]));
    await this.moveAll(statement(FORGET_MINUTES, [tenantId]));
  }

  private async moveAll(step: Statement): Promise<void> {
    for (let moved = BATCH; moved === BATCH;) {
      const [answer] = await this.database.aside([step]);
      moved = (answer!.rows[0] as { moved: number }).moved;
    }
  }
}
