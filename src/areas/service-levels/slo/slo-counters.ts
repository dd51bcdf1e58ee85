import { Inject, Injectable } from '@nestjs/common';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { type Span } from '#libs/request-counts/span.js';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { outsideWindows, windowValues } from '#libs/maintenance/outside-windows.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Bucket, MINUTES_COUNTED, windowStart } from './slo-engine.js';
import { isCounted, type Slo, windowMs } from './slo.js';
import { sourceOf } from './slo-sources.js';

/** Minutes are kept a little longer than the windows that are counted by the minute. */
const MINUTES_KEPT_MS = DAY_MS;
const HOURS_KEPT_MS = 100 * DAY_MS;
/** How late a process may write its figures and still be counted without a reconciliation. */
const LATENESS_MS = 15 * MINUTE_MS;

const count = (source: string, place: number) => `
  with source as (select date_trunc('minute', at) as at, sum(good)::bigint as good, sum(bad)::bigint as bad
      from (${source}) each group by 1 having sum(good) + sum(bad) > 0),
    counts as (
      select 'minute' as grain, at, good, bad from source where at >= $${place + 1}::timestamptz
      union all
      select 'hour', date_trunc('hour', at), sum(good)::bigint, sum(bad)::bigint from source group by 2),
    gone as (
      delete from data.slo_counts c where c.tenant_id = $1 and c.slo_id = $${place}
        and c.at >= $2::timestamptz and c.at < $3::timestamptz
        and not exists (select 1 from counts k where k.grain = c.grain and k.at = c.at))
  insert into data.slo_counts as c (tenant_id, slo_id, grain, at, good, bad)
  select $1, $${place}, grain, at, good, bad from counts
  on conflict (tenant_id, slo_id, grain, at) do update set good = excluded.good, bad = excluded.bad
    where (c.good, c.bad) <> (excluded.good, excluded.bad)`;
const FORGET = `delete from data.slo_counts where tenant_id = $1 and slo_id = $2 and at >= $3::timestamptz and at < $4::timestamptz`;
const FORGET_OLD = `delete from data.slo_counts where tenant_id = $1
  and (grain = 'minute' and at < $2::timestamptz or at < $3::timestamptz)`;
const FORGET_ALL = `delete from data.slo_counts where tenant_id = $1 and slo_id = $2`;
const START_OVER = `delete from data.slo_progress where tenant_id = $1 and slo_id = $2`;
const PROGRESS = `select slo_id as "sloId", counted_to as "countedTo", alerting_since as "alertingSince"
  from data.slo_progress where tenant_id = $1`;
const ADVANCE = `insert into data.slo_progress as p (tenant_id, slo_id, counted_to) values ($1, $2, $3)
  on conflict (tenant_id, slo_id) do update set counted_to = greatest(p.counted_to, excluded.counted_to)`;
const READ = `select slo_id as "sloId", (extract(epoch from at) * 1000)::bigint as "atMs", good, bad from data.slo_counts
  where tenant_id = $1 and slo_id = any($2::uuid[]) and (grain = 'hour' and at >= $3::timestamptz and at < $4::timestamptz
    or grain = 'minute' and at >= $4::timestamptz) order by at`;
const HOURS = `select (extract(epoch from at) * 1000)::bigint as "atMs", good, bad from data.slo_counts
  where tenant_id = $1 and slo_id = $2 and grain = 'hour' and at >= $3::timestamptz and at < $4::timestamptz order by at`;

const hoursOutside = (source: string, place: number) => `
  select (extract(epoch from date_trunc('hour', at)) * 1000)::bigint as "atMs", sum(good)::bigint as good, sum(bad)::bigint as bad
  from (${source}) each where ${outsideWindows('began', 'at', place)} group by 1`;

const iso = (ms: number) => new Date(ms).toISOString();
const floorHour = (ms: number) => Math.floor(ms / HOUR_MS) * HOUR_MS;

/** How far an objective is counted. */
export interface Progress {
  sloId: string;
  countedTo: string;
  alertingSince: string | null;
}

/**
 * Running counts of good and bad events per objective, by minute and hour. They follow the request figures: each round
 * counts again what can still change, so that counting twice changes nothing.
 */
@Injectable()
export class SloCounters {
  private readonly eventDays: number;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'EVENT_RETENTION_DAYS'>,
  ) {
    this.eventDays = settings.EVENT_RETENTION_DAYS;
  }

  /** Brings the counts of the objectives up to now; returns their progress by id. */
  async catchUp(slos: readonly Slo[]): Promise<Map<string, Progress>> {
    const { id } = currentTenant();
    const rows = await this.database.read<Progress>(statement(PROGRESS, [id]));
    const known = new Map(rows.map((row) => [row.sloId, row]));
    const nowMs = this.clock.nowMs();
    const steps = slos.filter(isCounted).flatMap((slo) => {
      const countedTo = known.get(slo.id)?.countedTo;
      const sinceMs = countedTo === undefined ? nowMs - windowMs(slo) : Date.parse(countedTo) - LATENESS_MS;
      const fromMs = Math.max(floorHour(sinceMs), this.oldestMs(slo));
      return [this.count(slo, { fromMs, toMs: nowMs + MINUTE_MS }), statement(ADVANCE, [id, slo.id, iso(nowMs)])];
    });
    await this.database.transaction((transaction) => {
      for (const each of steps) transaction.write(each);
      return Promise.resolve();
    });
    return known;
  }

  /** The counts within the window of each objective, by id. */
  async buckets(slos: readonly Slo[]): Promise<Map<string, Bucket[]>> {
    const nowMs = this.clock.nowMs();
    const minutesFrom = floorHour(windowStart(MINUTES_COUNTED, nowMs));
    const fromMs = Math.min(...slos.map((slo) => floorHour(nowMs - windowMs(slo))), minutesFrom);
    const ids = slos.map(({ id }) => id);
    const values = [currentTenant().id, ids, iso(fromMs), iso(minutesFrom)];
    const found = new Map<string, Bucket[]>(ids.map((id) => [id, []]));
    for (const { sloId, ...bucket } of await this.database.read<Bucket & { sloId: string }>(statement(READ, values)))
      found.get(sloId)!.push(bucket);
    return found;
  }

  /** The counts by hour. */
  hours(slo: Slo, { fromMs, toMs }: Span): Promise<Bucket[]> {
    return this.database.read<Bucket>(statement(HOURS, [currentTenant().id, slo.id, iso(fromMs), iso(toMs)]));
  }

  /**
   * The counts by hour from the records, without deliveries that a window touched before they were decided, and jobs
   * that finished within one. Hours whose records are not kept any more are missing.
   */
  hoursOutside(slo: Slo, { fromMs, toMs }: Span, windows: readonly Span[]): Promise<Bucket[]> {
    const { text, values } = sourceOf(slo.indicator, this.eventDays);
    const range = [iso(Math.max(fromMs, this.oldestMs(slo))), iso(toMs)];
    const all = [currentTenant().id, ...range, ...values, ...windowValues(windows)];
    return this.database.read<Bucket>(statement(hoursOutside(text, 4 + values.length), all));
  }

  /** Replaces the counts of whole hours by what the records add up to. */
  recount(slo: Slo, { fromMs, toMs }: Span): Statement[] {
    return [
      statement(FORGET, [currentTenant().id, slo.id, iso(fromMs), iso(toMs)]),
      this.count(slo, { fromMs, toMs: Math.min(toMs, this.clock.nowMs() + MINUTE_MS) }),
    ];
  }

  /** Discards the counts of an objective that now measures something else. */
  startOver({ id }: Slo): Statement[] {
    const values = [currentTenant().id, id];
    return [statement(FORGET_ALL, values), statement(START_OVER, values)];
  }

  /** Deletes counts that no window contains any more. */
  async forget(): Promise<void> {
    const nowMs = this.clock.nowMs();
    const values = [currentTenant().id, iso(nowMs - MINUTES_KEPT_MS), iso(nowMs - HOURS_KEPT_MS)];
    await this.database.aside([statement(FORGET_OLD, values)]);
  }

  /** The first full hour whose records are all still kept. */
  oldestMs({ indicator }: Slo): number {
    const { keptDays } = sourceOf(indicator, this.eventDays);
    const keptMs = Math.min(keptDays === null ? HOURS_KEPT_MS : (keptDays - 1) * DAY_MS, HOURS_KEPT_MS);
    return floorHour(this.clock.nowMs() - keptMs);
  }

  private count({ id, indicator }: Slo, { fromMs, toMs }: Span): Statement {
    const { text, values } = sourceOf(indicator, this.eventDays);
    const minutesFrom = iso(floorHour(this.clock.nowMs() - MINUTES_KEPT_MS));
    const place = 4 + values.length;
    return statement(count(text, place), [currentTenant().id, iso(fromMs), iso(toMs), ...values, id, minutesFrom]);
  }
}
