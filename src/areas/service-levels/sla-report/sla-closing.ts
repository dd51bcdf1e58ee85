import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { TenantReader } from '#libs/tenants/tenant-reader.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { Upkeep } from '#libs/worker/upkeep.js';
import { monthOf, SlaMonths, spanOfMonth } from './sla-months.js';

const EVERY_MS = 3_600_000;

/** Stores the report of the last closed month of each tenant, while its figures are still kept. */
@Injectable()
export class SlaClosing extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  /** The last month that is stored for all tenants, as far as this process knows. */
  private done: string | null = null;

  constructor(
    private readonly months: SlaMonths,
    private readonly tenants: TenantFactsReader,
    private readonly reader: TenantReader,
    private readonly clock: Clock,
  ) {
    super('The storing of service-level reports', EVERY_MS);
  }

  async sweep(): Promise<Work> {
    const month = monthOf(spanOfMonth(monthOf(this.clock.nowMs())).fromMs - 1);
    if (month === this.done || !this.months.isClosed(month)) return 'none';
    const endMs = spanOfMonth(month).toMs;
    for await (const tenant of this.tenants.all()) {
      if (this.stopping) return 'none';
      await runAsSystem(tenant, 'service levels', uuidv7(), async () => {
        if (Date.parse((await this.reader.current()).createdAt) < endMs) await this.months.closed(month);
      });
    }
    this.done = month;
    return 'none';
  }
}
