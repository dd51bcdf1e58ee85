import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { NIL_UUID, uuidv7 } from '#libs/kernel/id.js';
import { runAsSystem } from '#libs/tenancy/scope.js';
import { BACKLOG_BATCH, releaseStranded } from './lanes/endpoint-backlog.js';
import type { Work } from '#libs/worker/loop.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';

/** Endpoints per search for stranded deliveries. */
const LANES = 200;

// Skips from endpoint to endpoint in webhook_deliveries_held_idx.
const HELD_LANES = `
  with recursive lane (tenant_id, endpoint_id) as (
    (select tenant_id, endpoint_id from data.webhook_deliveries
      where stopped = 'held' and (tenant_id, endpoint_id) > ($1::uuid, $2::uuid)
      order by tenant_id, endpoint_id limit 1)
    union all
    select next.tenant_id, next.endpoint_id from lane, lateral (
      select d.tenant_id, d.endpoint_id from data.webhook_deliveries d
      where d.stopped = 'held' and (d.tenant_id, d.endpoint_id) > (lane.tenant_id, lane.endpoint_id)
      order by d.tenant_id, d.endpoint_id limit 1) next)
  select tenant_id as "tenantId", endpoint_id as "endpointId" from lane limit ${LANES}`;
const WIPE = `update data.webhook_endpoints set previous_secret_sealed = null
  where tenant_id = $1 and previous_secret_sealed is not null and previous_secret_expires_at <= now()`;
// Statistics are shown for a day.
const FORGET_STATS = `delete from data.webhook_stats where tenant_id = $1 and minute < now() - interval '2 days'`;

interface Lane {
  tenantId: string;
  endpointId: string;
}

/** Periodic cleanup by workers. Each task may run in several processes at once. */
@Injectable()
export class WebhookUpkeep {
  private closing = false;
  private after: Lane = { tenantId: NIL_UUID, endpointId: NIL_UUID };

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantFactsReader,
  ) {}

  /** Stops running tasks at the next opportunity. */
  close(): void {
    this.closing = true;
  }

  /** Deletes secrets whose grace period is over, and statistics that are no longer shown. */
  async wipe(): Promise<Work> {
    for await (const tenant of this.tenants.all()) {
      if (this.closing) break;
      await runAsSystem(tenant, 'webhooks', uuidv7(), () =>
        this.database.aside([statement(WIPE, [tenant.id]), statement(FORGET_STATS, [tenant.id])]),
      );
    }
    return 'none';
  }

  /** Releases deliveries held for endpoints that accept deliveries again, and skips those held for deleted ones. */
  async releaseStranded(): Promise<Work> {
    const { tenantId, endpointId } = this.after;
    const lanes = await this.database.systemRead<Lane>(statement(HELD_LANES, [tenantId, endpointId]));
    const tenants = await this.tenants.findAll(lanes.map((lane) => lane.tenantId));
    for (const lane of lanes) {
      const tenant = tenants.get(lane.tenantId);
      if (!tenant) continue;
      const release = releaseStranded(lane.tenantId, lane.endpointId);
      let count: number;
      do {
        const released = await runAsSystem(tenant, 'webhooks', uuidv7(), () => this.database.aside([release]));
        count = Number(released[0]!.rows[0]!['moved']);
      } while (count === BACKLOG_BATCH && !this.closing);
    }
    this.after = lanes.length === LANES ? lanes.at(-1)! : { tenantId: NIL_UUID, endpointId: NIL_UUID };
    return 'none';
  }
}
