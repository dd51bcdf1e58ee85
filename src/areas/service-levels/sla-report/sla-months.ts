import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '#libs/kernel/durations.js';
import { type Span } from '#libs/request-counts/span.js';
import { Database } from '#libs/database/database.js';
import { oneByOne } from '#libs/database/one-by-one.js';
import { statement, type Statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { nextVersion } from '#libs/resource/records/next-version.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Measurement, SlaMeasurements } from './sla-measurement.js';

/** A month is closed this long after its end, when the figures of all processes have arrived. */
const CLOSED_AFTER_MS = HOUR_MS;

const READ = `select version, report, correction from data.sla_reports
  where tenant_id = $1 and month = $2 and ($3::integer is null or version = $3) order by version desc limit 1`;
const LATEST = `select max(version) as version from data.sla_reports where tenant_id = $1 and month = $2`;
const KEEP = `insert into data.sla_reports (tenant_id, month, version, report, correction, stored_at)
  values ($1, $2, $3, $4, $5, $6) on conflict do nothing`;

/** Why a later version of a closed month was made. */
export interface Correction {
  reason: string;
  at: string;
}

/** A measurement, and its version if it is stored. */
export interface Kept {
  version: number;
  report: Measurement;
  /** Null for the first version. */
  correction: Correction | null;
}

/** The months of a tenant: a closed one is stored when it is first read. A correction adds a version. */
@Injectable()
export class SlaMonths {
  constructor(
    private readonly measurements: SlaMeasurements,
    private readonly tenants: TenantReader,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Whether the month has been over for an hour. */
  isClosed(month: string): boolean {
    return spanOfMonth(month).toMs + CLOSED_AFTER_MS <= this.clock.nowMs();
  }

  /** The stored report of a closed month, which is measured and stored now if it was not yet. */
  async closed(month: string): Promise<Kept> {
    const found = await this.version(month, null);
    if (found) return found;
    const report = await this.measured(month);
    await this.database.aside([keep(month, { version: 1, report, correction: null })]);
    return (await this.version(month, null))!; // another request may have been faster
  }

  /** A stored version of a closed month, the latest one for null; null if there is no such version. */
  async version(month: string, version: number | null): Promise<Kept | null> {
    const [row] = await this.database.read<Kept>(statement(READ, [currentTenant().id, month, version]));
    return row ?? null;
  }

  /** Number of stored versions of a month. */
  async versions(month: string): Promise<number> {
    const [row] = await this.database.read<{ version: number | null }>(statement(LATEST, [currentTenant().id, month]));
    return row!.version ?? 0;
  }

  /**
   * Measures a closed month again from the records that are kept, and stores the result as its next version.
   * @returns null if the figures are those of the latest version, which then stays the latest.
   */
  async correct(month: string, reason: string, record: (kept: Kept) => Statement): Promise<Kept | null> {
    await this.closed(month);
    const report = await this.measured(month);
    return this.database.transaction(async (transaction) => {
      await transaction.query(oneByOne('sla_report', `${currentTenant().id}${month}`));
      const latest = (await this.version(month, null))!;
      if (isDeepStrictEqual(figuresOf(latest.report), figuresOf(report))) return null;
      const kept = nextVersion(latest, { report, correction: { reason, at: report.asOf } });
      transaction.write(keep(month, kept));
      transaction.write(record(kept));
      return kept;
    });
  }

  private async measured(month: string): Promise<Measurement> {
    const nowMs = this.clock.nowMs();
    return this.measurements.measure(await this.measurable(spanOfMonth(month), nowMs), nowMs);
  }

  /** The part of a span that can be measured: since the tenant was created, and until now. */
  async measurable({ fromMs, toMs }: Span, nowMs: number): Promise<Span> {
    const createdMs = Date.parse((await this.tenants.current()).createdAt);
    const from = Math.min(nowMs, Math.max(fromMs, createdMs));
    return { fromMs: from, toMs: Math.max(from, Math.min(toMs, nowMs)) };
  }
}

function keep(month: string, { version, report, correction }: Kept): Statement {
  const stored = [JSON.stringify(report), correction && JSON.stringify(correction), report.asOf];
  return statement(KEEP, [currentTenant().id, month, version, ...stored]);
}

/** A measurement as it is stored, without its time. */
function figuresOf({ asOf: _, ...figures }: Measurement): unknown {
  return JSON.parse(JSON.stringify(figures));
}

/** From the first day of a month to that of the next one (UTC). */
export function spanOfMonth(month: string): Span {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return { fromMs: Date.UTC(year, number - 1), toMs: Date.UTC(year, number) };
}

/** The month of an instant, such as `2026-10`. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
