import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { LedgerCheck } from '#src/areas/ai/budgets/ledger-check.js';
import { Upkeep } from '#libs/worker/upkeep.js';

const EVERY_MS = 3_600_000;

/** Checks the sums of the AI ledger for changes since the last check, one tenant at a time, and reports differences. */
@Injectable()
export class LedgerUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private found = 0;

  constructor(
    private readonly check: LedgerCheck,
    private readonly tenants: TenantFactsReader,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    super('The check of the AI ledger', EVERY_MS);
    metrics.gauge(
      'ai_ledger_mismatch',
      'Accounts and reservations of AI spending that are not the sum of their ledger entries, by the last check.',
      () => this.found,
    );
  }

  async sweep(): Promise<Work> {
    const since = new Date(this.clock.nowMs() - 2 * EVERY_MS).toISOString();
    let found = 0;
    for await (const tenant of this.tenants.all())
      found += (await runAsSystem(tenant, 'ledger check', uuidv7(), () => this.check.mismatches(since))).length;
    this.found = found;
    return 'none';
  }
}
