import { Injectable } from '@nestjs/common';
import { HOUR_MS, MINUTE_MS, type Span } from '#libs/accounting/span.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { type Measurement, SlaMeasurements } from './sla-measurement.js';

/** A month is closed this long after its end, when the figures of all processes have arrived. */
const CLOSED_AFTER_MS = HOUR_MS;

const READ = `select version, report from data.sla_reports where tenant_id = $1 and month = $2 order by version desc limit 1`;
const KEEP = `insert into data.sla_reports (tenant_id, month, version, report, stored_at) values ($1, $2, 1, $3, $4)
  on conflict do nothing`;

/** A measurement, and its version if it is stored. */
export interface Kept {
  version: number;
  report: Measurement;
}

/** The months of a tenant: a closed one is stored when it is first read, and never changes afterwards. */
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
    const found = await this.find(month);
    if (found) return found;
    const at = this.clock.now().toISOString();
    const report = await this.measurements.measure(await this.measurable(spanOfMonth(month)), at);
    await this.database.aside([statement(KEEP, [currentTenant().id, month, JSON.stringify(report), at])]);
    return (await this.find(month))!; // another request may have been faster
  }

  /** The part of a span that can be measured: since the tenant was created, and until now. */
  async measurable({ fromMs, toMs }: Span): Promise<Span> {
    const createdMs = Date.parse((await this.tenants.current()).createdAt);
    const nowMs = Math.floor(this.clock.nowMs() / MINUTE_MS) * MINUTE_MS;
    const from = Math.max(fromMs, Math.ceil(createdMs / MINUTE_MS) * MINUTE_MS);
    return { fromMs: from, toMs: Math.max(from, Math.min(toMs, nowMs)) };
  }

  private async find(month: string): Promise<Kept | null> {
    const [row] = await this.database.read<Kept>(statement(READ, [currentTenant().id, month]));
    return row ?? null;
  }
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
