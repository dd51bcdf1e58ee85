import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { NIL_UUID, uuidv7 } from '#libs/kernel/id.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import type { Work } from '#libs/worker/loop.js';
import { carryOn } from './recovery-job.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';

/** Jobs per pass. */
const JOBS = 20;

const RUNNING = `
  select tenant_id as "tenantId", id from data.webhook_recoveries
  where status in ('counting', 'running') and (tenant_id, id) > ($1::uuid, $2::uuid) order by tenant_id, id limit ${JOBS}`;

interface Job {
  tenantId: string;
  id: string;
}

/** Continues recoveries round robin, one step each. Any worker can do it, because the position is in the row. */
@Injectable()
export class RecoveryRunner {
  private after: Job = { tenantId: NIL_UUID, id: NIL_UUID };

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantFactsReader,
    private readonly events: EventCatalogue,
  ) {}

  /** Continues the next recoveries by one step each. */
  async pass(): Promise<Work> {
    const { tenantId, id } = this.after;
    const jobs = await this.database.systemRead<Job>(statement(RUNNING, [tenantId, id]));
    const begun = tenantId === NIL_UUID;
    this.after = jobs.length === JOBS ? jobs.at(-1)! : { tenantId: NIL_UUID, id: NIL_UUID };
    const outcomes: PromiseSettledResult<boolean>[] = [];
    // A failing job must not block the others.
    for (const job of jobs) outcomes.push(...(await Promise.allSettled([this.goOn(job)])));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    const more = outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value);
    if (more || jobs.length === JOBS || !begun) return 'full';
    return jobs.length > 0 ? 'some' : 'none';
  }

  private async goOn(job: Job): Promise<boolean> {
    const tenant = await this.tenants.find(job.tenantId);
    if (!tenant) return false;
    return runAsSystem(tenant, 'webhook recovery', uuidv7(), () =>
      this.database.transaction((transaction) => carryOn(transaction, this.events, job.tenantId, job.id)),
    );
  }
}
