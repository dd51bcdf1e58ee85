import { Injectable } from '@nestjs/common';
import { CoverageFigures } from '#libs/request-counts/coverage-figures.js';
import { addLatency, percentileOf } from '#libs/request-counts/percentiles.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { GroupedRequestFigures, type GroupedRequests } from '#libs/request-counts/request-figures.js';
import { MINUTES_KEPT_DAYS } from '#libs/request-counts/request-rollup.js';
import { percentOf } from '#libs/kernel/fraction.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { type Span } from '#libs/request-counts/span.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import {
  type MeasuredRequests,
  MOST_DAYS,
  MOST_GROUPS,
  type RequestFigures,
  type RequestGroup,
  type RequestQuestion,
} from './observability.dto.js';

/** Longest span that is shown by the minute. */
const BY_MINUTE_MS = 6 * HOUR_MS;
/** Minutes of older spans may have been rolled up into hours. */
const MINUTES_KEPT_MS = (MINUTES_KEPT_DAYS - 1) * DAY_MS;

/** The tenant's use of the API, from the requests that its processes counted. */
@Injectable()
export class ObservabilityService {
  constructor(
    private readonly figures: GroupedRequestFigures,
    private readonly coverage: CoverageFigures,
    private readonly accounts: RequestAccounts,
    private readonly tenants: TenantReader,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 400 for a span that is empty, too long, or ends in the future. */
  async measure({ groupBy = 'time', route, ...asked }: RequestQuestion): Promise<MeasuredRequests> {
    const nowMs = this.clock.nowMs();
    const span = spanOf(asked, nowMs);
    const completeToMs = await this.accounts.completeTo(currentTenant().id, nowMs);
    const stepMs = span.toMs - span.fromMs <= BY_MINUTE_MS ? MINUTE_MS : HOUR_MS;
    const time = stepMs === MINUTE_MS ? 'minute' : 'hour';
    const found = await this.figures.read(span, groupBy === 'time' ? time : groupBy, route);
    const { minutes, uncovered } = await this.covered(span, nowMs);
    return {
      from: iso(span.fromMs),
      to: iso(span.toMs),
      asOf: iso(nowMs),
      completeTo: iso(completeToMs),
      coverage: {
        uncoveredMinutes: uncovered.size,
        coveredPercent: percentOf(minutes - uncovered.size, minutes),
      },
      total: figuresOf(found),
      groups:
        groupBy === 'time'
          ? timesOf(span, stepMs, found, uncovered)
          : found.slice(0, MOST_GROUPS).map((each) => groupOf(each.group, each.name, null, [each])),
    };
  }

  /** The minutes of a span since the tenant was created, until now. */
  private async covered(span: Span, nowMs: number): Promise<{ minutes: number; uncovered: Set<number> }> {
    const createdMs = Date.parse((await this.tenants.current()).createdAt);
    const fromMs = Math.max(span.fromMs, Math.floor(createdMs / MINUTE_MS) * MINUTE_MS);
    const toMs = Math.max(fromMs, Math.min(span.toMs, nowMs + 1));
    const uncovered = await this.coverage.uncovered({ fromMs, toMs });
    uncovered.delete(Math.floor(nowMs / MINUTE_MS) * MINUTE_MS); // this process is up
    return { minutes: Math.ceil((toMs - fromMs) / MINUTE_MS), uncovered };
  }
}

function spanOf({ from, to }: { from?: string; to?: string }, nowMs: number): Span {
  const endMs = to === undefined ? nowMs : Date.parse(to);
  const startMs = from === undefined ? endMs - HOUR_MS : Date.parse(from);
  if (endMs > nowMs + MINUTE_MS) {
    const future = { pointer: '/to', code: 'out_of_range', detail: 'The range cannot end in the future.' };
    throw Problem.validation([future]);
  }
  const detail =
    startMs >= endMs ? 'The start must be before the end.' : `The span may have at most ${MOST_DAYS} days.`;
  if (startMs >= endMs || endMs - startMs > MOST_DAYS * DAY_MS)
    throw Problem.validation([{ pointer: '/from', code: 'out_of_range', detail }]);
  const stepMs = nowMs - startMs > MINUTES_KEPT_MS ? HOUR_MS : MINUTE_MS;
  return { fromMs: Math.floor(startMs / stepMs) * stepMs, toMs: Math.ceil(endMs / stepMs) * stepMs };
}

/** Every minute or hour of the span. */
function timesOf(
  { fromMs, toMs }: Span,
  stepMs: number,
  found: readonly GroupedRequests[],
  uncovered: ReadonlySet<number>,
): RequestGroup[] {
  const byTime = new Map(found.map((each) => [each.group, each]));
  const missing = Map.groupBy(uncovered, (ms) => iso(Math.floor(ms / stepMs) * stepMs));
  const first = Math.floor(fromMs / stepMs) * stepMs;
  return Array.from({ length: Math.ceil((toMs - first) / stepMs) }, (_, i) => {
    const time = iso(first + i * stepMs);
    const requests = byTime.get(time);
    return groupOf(time, null, missing.get(time)?.length ?? 0, requests ? [requests] : []);
  });
}

function groupOf(
  group: string,
  name: string | null,
  uncoveredMinutes: number | null,
  requests: readonly GroupedRequests[],
): RequestGroup {
  return { group, name, uncoveredMinutes, ...figuresOf(requests) };
}

function figuresOf(groups: readonly GroupedRequests[]): RequestFigures {
  const latency: number[] = [];
  for (const each of groups) addLatency(latency, each.latency);
  const sum = (of: (each: GroupedRequests) => number) => groups.reduce((total, each) => total + of(each), 0);
  const errors5xx = sum((each) => each.errors5xx);
  const requests = sum((each) => each.requests);
  const percentile = (percent: number) => {
    const found = percentileOf(latency, percent);
    return found === null ? null : rounded(found);
  };
  return {
    requests,
    succeeded: sum((each) => each.succeeded),
    errors4xx: sum((each) => each.errors4xx),
    errors5xx,
    rateLimited: sum((each) => each.rateLimited),
    errorPercent: requests === 0 ? null : rounded((100 * errors5xx) / requests),
    p50Ms: percentile(50),
    p95Ms: percentile(95),
    p99Ms: percentile(99),
    bytesOut: sum((each) => each.bytesOut),
  };
}

const iso = (ms: number) => new Date(ms).toISOString();
const rounded = (value: number) => Math.round(value * 1_000) / 1_000;
