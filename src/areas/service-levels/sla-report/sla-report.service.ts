import { Injectable } from '@nestjs/common';
import { HOURS_KEPT_DAYS } from '#libs/request-counts/request-rollup.js';
import { RequestAccounts } from '#libs/request-counts/request-accounts.js';
import { DAY_MS, HOUR_MS } from '#libs/kernel/durations.js';
import { type Span } from '#libs/request-counts/span.js';
import { AuditTrail } from '#libs/audit/audit-trail.js';
import { civilDate, instant } from '#libs/http/field.js';
import { Clock } from '#libs/kernel/clock.js';
import { Problem } from '#libs/kernel/problem.js';
import { percentOf } from '#libs/kernel/fraction.js';
import { longest } from '#libs/kernel/time-range.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { creditOf } from './commitments.js';
import { SLA_FORMULAS } from './sla-formulas.js';
import { type HourFigures, msOf, sumOf } from './sla-figures.js';
import { breachesOf, type Measurement, SlaMeasurements } from './sla-measurement.js';
import { type Kept, monthOf, SlaMonths, spanOfMonth } from './sla-months.js';
import {
  MOST_DAYS,
  type Service,
  SERVICES,
  type SlaBreach,
  type SlaCredit,
  type SlaPoint,
  type SlaQuery,
  type SlaReport,
  type SlaResult,
} from './sla-report.dto.js';

/** A stored month, or a running period, which has no version. */
type Shown = Omit<Kept, 'version'> & { version: number | null };

/** The service-level report of a tenant: how the services performed against what was promised. */
@Injectable()
export class SlaReportService {
  constructor(
    private readonly months: SlaMonths,
    private readonly measurements: SlaMeasurements,
    private readonly tenants: TenantReader,
    private readonly accounts: RequestAccounts,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 400 for a range that is empty, too long, in the future, or no longer kept. */
  async read({ month, version, from, to, granularity = 'day', service = 'all' }: SlaQuery): Promise<SlaReport> {
    if (month !== undefined && (from !== undefined || to !== undefined))
      throw fault('month', 'not_together', 'Send either a month or a range.');
    if (version !== undefined && month === undefined)
      throw fault('month', 'required', 'Versions are those of a month.');
    if (to !== undefined && from === undefined) throw fault('from', 'required', 'A range needs a start.');
    await this.accounts.flushTenant(currentTenant().id).catch(() => undefined);
    const wanted = from === undefined ? (month ?? monthOf(this.clock.nowMs())) : null;
    const kept = wanted === null ? await this.ofSpan(from!, to) : await this.ofMonth(wanted, version ?? null);
    await this.trail.record({ action: 'sla_report.read', target: null, outcome: 'success', riskLevel: 'low' });
    const latestVersion = kept.version === null ? null : await this.months.versions(wanted!);
    const services = service === 'all' ? SERVICES : [service];
    return this.show(kept, { month: wanted, latestVersion, granularity, services });
  }

  private async ofMonth(month: string, version: number | null): Promise<Shown> {
    const span = spanOfMonth(month);
    const { createdAt } = await this.tenants.current();
    if (span.fromMs > this.clock.nowMs()) throw fault('month', 'out_of_range', 'The month has not begun.');
    if (span.toMs <= Date.parse(createdAt))
      throw fault('month', 'out_of_range', `The tenant was created later, on ${createdAt.slice(0, 10)}.`);
    if (!this.months.isClosed(month)) {
      if (version !== null) throw fault('version', 'out_of_range', 'The month is not closed and has no versions.');
      return this.measured(span, this.clock.nowMs());
    }
    const latest = await this.months.closed(month);
    if (version === null || version === latest.version) return latest;
    const found = await this.months.version(month, version);
    if (found) return found;
    throw fault('version', 'out_of_range', `The latest version of this month is ${latest.version}.`);
  }

  private async ofSpan(from: string, to: string | undefined): Promise<Shown> {
    const nowMs = this.clock.nowMs();
    const span = { fromMs: timeOf('from', from), toMs: to === undefined ? nowMs : timeOf('to', to) };
    if (span.fromMs >= span.toMs) throw fault('from', 'out_of_range', 'The range must begin before it ends.');
    if (span.fromMs > nowMs) throw fault('from', 'out_of_range', 'The range has not begun.');
    if (span.toMs - span.fromMs > MOST_DAYS * DAY_MS) throw fault('from', 'out_of_range', longest(MOST_DAYS));
    if (span.fromMs < nowMs - HOURS_KEPT_DAYS * DAY_MS)
      throw fault('from', 'out_of_range', `Figures are kept for ${HOURS_KEPT_DAYS} days; read older ones by month.`);
    return this.measured(span, nowMs);
  }

  private async measured(span: Span, nowMs: number): Promise<Shown> {
    const report = await this.measurements.measure(await this.months.measurable(span, nowMs), nowMs);
    return { version: null, report, correction: null };
  }

  private show(
    { version, report, correction }: Shown,
    wanted: {
      month: string | null;
      latestVersion: number | null;
      granularity: 'day' | 'hour';
      services: readonly Service[];
    },
  ): SlaReport {
    const { month, latestVersion, granularity, services } = wanted;
    const { hours, coverage, commitments, maintenance, asOf } = report;
    const closed = month !== null && this.months.isClosed(month);
    const delivered = sumOf(hours.webhooks);
    const breaches = month === null ? [] : breachesOf(report);
    return {
      tenantId: currentTenant().id,
      version,
      latestVersion,
      correction,
      period: {
        month,
        from: new Date(report.fromMs).toISOString(),
        to: new Date(report.toMs).toISOString(),
        closed,
      },
      commitments,
      results: services.map((service) => resultOf(service, hours[service], granularity)),
      webhooks: {
        deliveredPercent: percentOf(delivered.good, delivered.total),
        p95DelaySeconds: report.p95DelaySeconds,
      },
      maintenance,
      coveragePercent: percentOf(coverage.minutes - coverage.uncoveredMinutes, coverage.minutes),
      uncoveredMinutes: coverage.uncoveredMinutes,
      breaches,
      serviceCredit: credit(report, { breaches, month, closed }),
      formulas: SLA_FORMULAS,
      asOf,
    };
  }
}

function resultOf(service: Service, hours: readonly HourFigures[], granularity: 'day' | 'hour'): SlaResult {
  const { latency, ...sum } = sumOf(hours);
  const stepMs = granularity === 'hour' ? HOUR_MS : DAY_MS;
  const steps = Map.groupBy(hours, ({ atMs }) => Math.floor(atMs / stepMs) * stepMs);
  const isApi = service === 'api';
  const series = [...steps].map(([ms, each]): SlaPoint => ({
    at: new Date(ms).toISOString(),
    ...figuresOf(sumOf(each), isApi),
  }));
  return {
    service,
    ...figuresOf(sum, isApi),
    p50Ms: isApi ? msOf(latency, 50) : null,
    p95Ms: isApi ? msOf(latency, 95) : null,
    p99Ms: isApi ? msOf(latency, 99) : null,
    series,
  };
}

function figuresOf({ good, total, badMinutes }: Pick<HourFigures, 'good' | 'total' | 'badMinutes'>, isApi: boolean) {
  return {
    availabilityPercent: percentOf(good, total),
    goodRequests: good,
    totalRequests: total,
    badMinutes: isApi ? badMinutes : null,
  };
}

function credit(
  { hours, commitments, coverage }: Measurement,
  { breaches, month, closed }: { breaches: readonly SlaBreach[]; month: string | null; closed: boolean },
): SlaCredit {
  if (month === null) return { percent: 0, note: 'Credits are computed for calendar months only.' };
  const isApi = ({ metric }: { metric: string }) => metric === 'api.availabilityPercent';
  const preliminary = closed ? '' : ' Preliminary: the month is not closed.';
  if (!commitments.some(isApi)) return { percent: 0, note: `No availability of the API was promised.${preliminary}` };
  const breach = breaches.find(isApi);
  if (breach) {
    const { actual, target } = breach;
    const note = `The availability of the API was ${actual} % and ${target} % were promised.${preliminary}`;
    return { percent: creditOf(actual), note };
  }
  if (sumOf(hours.api).total > 0)
    return { percent: 0, note: `The availability of the API was as promised.${preliminary}` };
  return coverage.minutes === coverage.uncoveredMinutes
    ? { percent: null, note: `Not known: no minute was measured.${preliminary}` }
    : { percent: 0, note: `There were no valid requests to the API.${preliminary}` };
}

/** A date (UTC) or an instant, in ms. @throws Problem 400 */
function timeOf(parameter: string, value: string): number {
  const [found] = (value.length === 10 ? civilDate() : instant()).check(value);
  if (found) throw fault(parameter, found.code, found.detail);
  return Date.parse(value);
}

function fault(parameter: string, code: string, detail: string): Problem {
  return Problem.validation([{ parameter, code, detail }]);
}
