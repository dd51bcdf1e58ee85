import { addLatency, percentileOf } from '#libs/request-counts/percentiles.js';
import type { ServiceMinute } from '#libs/request-counts/service-figures.js';
import { HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { type Span } from '#libs/request-counts/span.js';

/** Valid requests of a minute that can make it bad. */
const MIN_REQUESTS = 5;
const BAD_SHARE = 0.1;

export interface HourFigures {
  atMs: number;
  good: number;
  total: number;
  badMinutes: number;
  /** Latency of good requests; empty where it is not measured. */
  latency: number[];
}

export interface CoverageOf {
  minutes: number;
  uncoveredMinutes: number;
  maintenanceMinutes: number;
}

/** Whether an instant is within maintenance. */
export function isWithin(windows: readonly Span[], ms: number): boolean {
  return windows.some(({ fromMs, toMs }) => ms >= fromMs && ms < toMs);
}

/** The hours with something that a window may touch, as spans that do not overlap. @param lagMs how long afterwards */
export function hoursTouched(windows: readonly Span[], lagMs: number): Span[] {
  return joined(
    windows.map(({ fromMs, toMs }) => ({
      fromMs: Math.floor(fromMs / HOUR_MS) * HOUR_MS,
      toMs: Math.ceil((toMs + lagMs) / HOUR_MS) * HOUR_MS,
    })),
  );
}

/** The hours of which only a part is in a span. */
export function partialHours({ fromMs, toMs }: Span): Span[] {
  return [fromMs, toMs]
    .filter((ms) => ms % HOUR_MS !== 0)
    .map((ms) => Math.floor(ms / HOUR_MS) * HOUR_MS)
    .map((ms) => ({ fromMs: ms, toMs: ms + HOUR_MS }));
}

/** The same spans in order; those that touch each other are one. */
export function joined(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = found.at(-1);
    if (last && span.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, span.toMs);
    else found.push({ ...span });
  }
  return found;
}

/**
 * A span with the whole step in which it begins or ends, if nothing else is in it: the one in which the tenant was
 * created, and the current one.
 */
export function widened(
  { fromMs, toMs }: Span,
  { createdMs, nowMs, stepMs }: { createdMs: number; nowMs: number; stepMs: number },
): Span {
  return {
    fromMs: fromMs <= createdMs ? Math.floor(fromMs / stepMs) * stepMs : fromMs,
    toMs: toMs >= nowMs ? (Math.floor(toMs / stepMs) + 1) * stepMs : toMs,
  };
}

/** Adds up the minutes of each hour, without those within maintenance. A window excludes each minute that it touches. */
export function hoursOf(minutes: readonly ServiceMinute[], maintenance: readonly Span[]): HourFigures[] {
  const windows = wholeMinutes(maintenance);
  const hours = new Map<number, HourFigures>();
  for (const { atMs, good, bad, latency } of minutes) {
    if (good + bad === 0 || isWithin(windows, atMs)) continue;
    const at = Math.floor(atMs / HOUR_MS) * HOUR_MS;
    const hour = hours.get(at) ?? { atMs: at, good: 0, total: 0, badMinutes: 0, latency: [] };
    hour.good += good;
    hour.total += good + bad;
    if (good + bad >= MIN_REQUESTS && bad >= BAD_SHARE * (good + bad)) hour.badMinutes++;
    addLatency(hour.latency, latency);
    hours.set(at, hour);
  }
  return [...hours.values()];
}

/** How many minutes of a span were covered, outside of maintenance. */
export function coverageOf(span: Span, uncovered: ReadonlySet<number>, maintenance: readonly Span[]): CoverageOf {
  const windows = wholeMinutes(maintenance);
  const found = { minutes: 0, uncoveredMinutes: 0, maintenanceMinutes: 0 };
  for (let ms = Math.ceil(span.fromMs / MINUTE_MS) * MINUTE_MS; ms < span.toMs; ms += MINUTE_MS) {
    if (isWithin(windows, ms)) found.maintenanceMinutes++;
    else {
      found.minutes++;
      if (uncovered.has(ms)) found.uncoveredMinutes++;
    }
  }
  return found;
}

/** One figure from several hours. */
export function sumOf(hours: readonly HourFigures[]): Omit<HourFigures, 'atMs'> {
  const sum = { good: 0, total: 0, badMinutes: 0, latency: [] as number[] };
  for (const { good, total, badMinutes, latency } of hours) {
    sum.good += good;
    sum.total += total;
    sum.badMinutes += badMinutes;
    addLatency(sum.latency, latency);
  }
  return sum;
}

/** A percentile in ms, rounded; null without observations. */
export function msOf(latency: readonly number[], percent: number): number | null {
  const ms = percentileOf(latency, percent);
  return ms === null ? null : Math.round(ms);
}

/** The windows, each with all minutes that it touches. */
export function wholeMinutes(windows: readonly Span[]): Span[] {
  return windows.map(({ fromMs, toMs }) => ({
    fromMs: Math.floor(fromMs / MINUTE_MS) * MINUTE_MS,
    toMs: Math.ceil(toMs / MINUTE_MS) * MINUTE_MS,
  }));
}
