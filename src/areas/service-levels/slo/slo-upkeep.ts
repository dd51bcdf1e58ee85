import { Injectable, Logger } from '@nestjs/common';
import { logFailure } from '#libs/database/log-failure.js';
import { DAY_MS, HOUR_MS } from '#libs/kernel/durations.js';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { Upkeep } from '#libs/worker/upkeep.js';
import { SloAlerts } from './slo-alerts.js';
import { SloCounters } from './slo-counters.js';

const EVERY_MS = 15_000;
/** A tenant without requests for this long has nothing to alert about. */
const ACTIVE_MS = HOUR_MS;
/** Tenants evaluated at the same time. */
const AT_ONCE = 4;

const ACTIVE = `select t.id, t.slug, t.plan, t.currency, t.epoch::text as epoch
  from directory.tenant_activity a join directory.tenants t on t.id = a.tenant_id
  where a.seen_at > $1 and t.closed_at is null order by t.id`;

/** Evaluates the objectives of all tenants that have sent requests lately, every 15 seconds. */
@Injectable()
export class SloUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private readonly logger = new Logger('worker');
  private readonly forgottenAtMs = new Map<string, number>();

  constructor(
    private readonly alerts: SloAlerts,
    private readonly counters: SloCounters,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super('The evaluation of service-level objectives', EVERY_MS);
  }

  async sweep(): Promise<Work> {
    const since = new Date(this.clock.nowMs() - ACTIVE_MS).toISOString();
    const tenants = (await this.database.systemRead<TenantFacts>(statement(ACTIVE, [since]))).values();
    const work = async () => {
      for (const tenant of tenants) if (!this.stopping) await this.evaluate(tenant);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return 'none';
  }

  /** A failure for one tenant does not delay others. */
  private async evaluate(tenant: TenantFacts): Promise<void> {
    try {
      await runAsSystem(tenant, 'service levels', uuidv7(), async () => {
        await this.alerts.evaluate();
        await this.forget(tenant.id);
      });
    } catch (error) {
      logFailure(this.logger, `Objectives of the tenant ${tenant.slug} could not be evaluated`, error);
    }
  }

  /** Deletes old counts once a day. */
  private async forget(tenantId: string): Promise<void> {
    const nowMs = this.clock.nowMs();
    if (nowMs - (this.forgottenAtMs.get(tenantId) ?? 0) < DAY_MS) return;
    this.forgottenAtMs.set(tenantId, nowMs);
    await this.counters.forget();
  }
}
