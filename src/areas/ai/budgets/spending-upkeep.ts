import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { Metrics } from '#libs/metrics/metrics.js';
import type { TenantFacts } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { Upkeep } from '#libs/worker/upkeep.js';

const EVERY_MS = 20_000;
/** Grace period before a leftover reservation is released, ms. With {@link EVERY_MS}, none remains after a minute. */
const GRACE_MS = 30_000;
/** Tenants per round trip. */
const TENANTS = 200;
const BATCH = 200;

// Normally the runner of a job releases its reservation. That does not happen if the job was never stored, has ended,
// or can no longer start.
const RELEASE = `
  select data.ai_release(r.id, $2) from data.ai_reservations r
    left join data.ai_jobs j on j.tenant_id = r.tenant_id and j.id = r.job_id
    left join data.ai_queue q on q.tenant_id = r.tenant_id and q.job_id = r.job_id
  where r.tenant_id = $1 and r.state = 'open' and r.created_at < $3 and j.status is distinct from 'running'
    and q.state is distinct from 'closing'
    and (r.expires_at < $3 or j.reservation_id is distinct from r.id
      or j.status not in ('queued', 'approved', 'awaiting_approval'))
  limit ${BATCH}`;

/** Releases leftover reservations of finished AI jobs. */
@Injectable()
export class SpendingUpkeep extends Upkeep {
  readonly onBehalf = { of: 'platform', because: 'upkeep' } as const;
  private readonly released = this.metrics.counter(
    'ai_holds_released_total',
    'Holds of AI jobs given back by the sweep.',
  );

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantFactsReader,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {
    super('The return of AI money', EVERY_MS);
  }

  /** Processes one batch per tenant. */
  async sweep(): Promise<Work> {
    let work: Work = 'none';
    const group: TenantFacts[] = [];
    const flush = async () => {
      if (group.length > 0 && (await this.release(group.splice(0)))) work = 'full';
    };
    for await (const tenant of this.tenants.all()) {
      group.push(tenant);
      if (group.length === TENANTS) await flush();
    }
    await flush();
    return work;
  }

  /** Returns whether one of the tenants had a full batch. */
  private async release(group: readonly TenantFacts[]): Promise<boolean> {
    const nowMs = this.clock.nowMs();
    const [at, before] = [nowMs, nowMs - GRACE_MS].map((ms) => new Date(ms).toISOString());
    const answers = await this.database.severally(
      group.map((tenant) => ({ tenant, statements: [statement(RELEASE, [tenant.id, at, before])] })),
    );
    const counts = answers.map(([answer]) => answer!.count);
    this.released.inc(counts.reduce((sum, count) => sum + count, 0));
    return counts.some((count) => count === BATCH);
  }
}
