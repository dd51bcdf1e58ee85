import { Injectable } from '@nestjs/common';
import { CoverageFigures } from '#libs/request-counts/coverage-figures.js';
import { ServiceFigures } from '#libs/request-counts/service-figures.js';
import type { Span } from '#libs/request-counts/span.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { percentOf } from '#libs/kernel/fraction.js';
import { HOUR_MS, MINUTE_MS } from '#libs/kernel/durations.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { MaintenanceCalendar } from '#libs/maintenance/maintenance-calendar.js';
import type { AnnouncedWindow } from '#libs/maintenance/announced-window.js';
import { outsideWindows, windowValues } from '#libs/maintenance/outside-windows.js';
import { DELIVERY_MS, serviceSlos, type Slo } from '../slo/slo.js';
import { SloCounters } from '../slo/slo-counters.js';
import { type Commitment, commitmentsOf, type CommittedMetric } from './commitments.js';
import {
  coverageOf,
  type CoverageOf,
  type HourFigures,
  hoursOf,
  hoursTouched,
  isWithin,
  joined,
  partialHours,
  sumOf,
  wholeMinutes,
  widened,
} from './sla-figures.js';
import type { Service, SlaBreach } from './sla-report.dto.js';

const AGREED = `select metric, target_millis as "targetMillis" from directory.commitments()`;
const DELAY = `
  select percentile_cont(0.95) within group (order by extract(epoch from delivered_at - created_at)::float8) as seconds
  from data.webhook_deliveries
  where tenant_id = $1 and created_at >= $2::timestamptz and created_at < $3::timestamptz and delivered_at is not null
    and ${outsideWindows('created_at', 'delivered_at', 4)}`;

/** What was measured in a span. Stored as it is for a closed month, so that every view of it stays the same. */
export interface Measurement extends Span {
  hours: Record<Service, HourFigures[]>;
  p95DelaySeconds: number | null;
  maintenance: AnnouncedWindow[];
  coverage: CoverageOf;
  commitments: Commitment[];
  asOf: string;
}

/** Measures the services of the current tenant. */
@Injectable()
export class SlaMeasurements {
  constructor(
    private readonly requests: ServiceFigures,
    private readonly coverage: CoverageFigures,
    private readonly counters: SloCounters,
    private readonly calendar: MaintenanceCalendar,
    private readonly tenants: TenantReader,
    private readonly database: Database,
  ) {}

  /** @param nowMs the time until which a running period is measured */
  async measure(span: Span, nowMs: number): Promise<Measurement> {
    const createdMs = Date.parse((await this.tenants.current()).createdAt);
    const minutes = widened(span, { createdMs, nowMs, stepMs: MINUTE_MS });
    const hours = widened(span, { createdMs, nowMs, stepMs: HOUR_MS });
    const range = [new Date(span.fromMs).toISOString(), new Date(span.toMs).toISOString()] as const;
    const maintenance = await this.calendar.ofTenant(...range);
    const windows = maintenance.map(({ startsAt, endsAt }) => ({
      fromMs: Date.parse(startsAt),
      toMs: Date.parse(endsAt),
    }));
    const whole = wholeMinutes(windows);
    const services = serviceSlos(currentTenant().id);
    await this.counters.catchUp(Object.values(services));
    const [delay] = await this.database.read<{ seconds: number | null }>(
      statement(DELAY, [currentTenant().id, ...range, ...windowValues(whole)]),
    );
    return {
      ...span,
      hours: {
        api: hoursOf(await this.requests.byMinute(minutes), windows),
        webhooks: await this.counted(services.webhooks, hours, whole),
        ai: await this.counted(services.ai, hours, whole),
      },
      p95DelaySeconds: delay!.seconds === null ? null : Math.round(delay!.seconds * 1_000) / 1_000,
      maintenance,
      coverage: coverageOf(minutes, await this.coverage.untilMinuteOf(nowMs, minutes), windows),
      commitments: commitmentsOf(currentTenant().plan, await this.agreed()),
      asOf: new Date(nowMs).toISOString(),
    };
  }

  /** From the running counts; those of partial hours and of hours that maintenance touched from the records. */
  private async counted(slo: Slo, { fromMs, toMs }: Span, windows: readonly Span[]): Promise<HourFigures[]> {
    const touched = joined([...hoursTouched(windows, DELIVERY_MS), ...partialHours({ fromMs, toMs })]);
    const hours = (await this.counters.hours(slo, { fromMs, toMs })).filter(({ atMs }) => !isWithin(touched, atMs));
    for (const each of touched) {
      const part = { fromMs: Math.max(fromMs, each.fromMs), toMs: Math.min(toMs, each.toMs) };
      hours.push(...(await this.counters.hoursOutside(slo, part, windows)));
    }
    return hours
      .sort((a, b) => a.atMs - b.atMs)
      .map(({ atMs, good, bad }) => ({ atMs, good, total: good + bad, badMinutes: 0, latency: [] }));
  }

  private async agreed(): Promise<Commitment[]> {
    const rows = await this.database.read<{ metric: CommittedMetric; targetMillis: number }>(statement(AGREED));
    return rows.map(({ metric, targetMillis }) => ({ metric, target: targetMillis / 1_000 }));
  }
}

/** The commitments that were not kept. */
export function breachesOf({ hours, commitments }: Measurement): SlaBreach[] {
  const [api, webhooks] = [sumOf(hours.api), sumOf(hours.webhooks)];
  const actuals = {
    'api.availabilityPercent': percentOf(api.good, api.total),
    'webhooks.deliveredPercent': percentOf(webhooks.good, webhooks.total),
  };
  return commitments.flatMap(({ metric, target }) => {
    const actual = actuals[metric];
    return actual !== null && actual < target ? [{ metric, target, actual }] : [];
  });
}
