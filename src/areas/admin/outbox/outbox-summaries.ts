import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '#libs/webhooks/delivery-status.js';
import { DESTINATION_TYPE } from './outbox-entry.dto.js';
import type { OutboxDestinationSummary, OutboxSummary } from './outbox-list.dto.js';

/*
 * One statement, so that the counts add up. What is not delivered is counted in webhook_deliveries_status_idx, all of it in
 * an index of the tenant without looking at rows; what is leased is as little as workers have at a time.
 */
const COUNTS = `
  select 'open' as kind, status, count(*) as count from data.webhook_deliveries
  where tenant_id = $1 and status <> 'delivered' group by status
  union all
  select 'leased', d.status, count(*)
  from data.webhook_queue q join data.webhook_deliveries d on d.tenant_id = q.tenant_id and d.id = q.delivery_id
  where q.tenant_id = $1 and q.lease_token is not null and q.due_at > now() group by d.status
  union all
  select 'all', 'delivered', count(*) from data.webhook_deliveries where tenant_id = $1`;
const OLDEST = `select floor(extract(epoch from now() - created_at))::integer as seconds from data.webhook_deliveries
  where tenant_id = $1 and status = 'pending' order by created_at, id limit 1`;
const DESTINATIONS = `
  select e.id, e.url, s.delivered, s.failed,
    (select count(*) from data.webhook_queue q where q.tenant_id = e.tenant_id and q.endpoint_id = e.id) as waiting
  from data.webhook_endpoints e, lateral (
    select coalesce(sum(delivered), 0) as delivered, coalesce(sum(failed), 0) as failed from data.webhook_stats
    where tenant_id = e.tenant_id and endpoint_id = e.id and minute > now() - interval '1 hour') s
  where e.tenant_id = $1 and e.deleted_at is null order by e.created_at, e.id`;

interface Count {
  kind: 'open' | 'leased' | 'all';
  status: DeliveryStatus;
  count: number;
}

interface DestinationRow {
  id: string;
  url: string;
  delivered: number;
  failed: number;
  waiting: number;
}

/** Figures of the whole outbox, each counted when it is asked for. */
@Injectable()
export class OutboxSummaries {
  constructor(private readonly database: Database) {}

  async read(): Promise<OutboxSummary> {
    const values = [currentTenant().id];
    return this.database.transaction(async (transaction) => {
      const counts = await transaction.query<Count>(statement(COUNTS, values));
      const [oldest] = await transaction.query<{ seconds: number }>(statement(OLDEST, values));
      const rows = await transaction.query<DestinationRow>(statement(DESTINATIONS, values));
      const delivered = rows.reduce((sum, row) => sum + row.delivered, 0);
      const failed = rows.reduce((sum, row) => sum + row.failed, 0);
      return {
        byStatus: byStatus(counts),
        oldestPendingSeconds: oldest?.seconds ?? null,
        deliveredLastHour: delivered,
        failureRateLastHour: rate(delivered, failed),
        perDestination: rows.map(destinationSummary),
      };
    });
  }
}

/** What is delivered is all but what is not; what is in flight is something else on record. */
function byStatus(counts: readonly Count[]): Record<DeliveryStatus, number> {
  const figures = Object.fromEntries(DELIVERY_STATUSES.map((each) => [each, 0])) as Record<DeliveryStatus, number>;
  for (const { kind, status, count } of counts) {
    figures[status] += kind === 'leased' ? -count : count;
    if (kind === 'open') figures.delivered -= count;
    if (kind === 'leased') figures.in_flight += count;
  }
  return figures;
}

function destinationSummary({ id, url, delivered, failed, waiting }: DestinationRow): OutboxDestinationSummary {
  return {
    destination: { type: DESTINATION_TYPE, id, name: new URL(url).host.slice(0, 200) },
    waiting,
    deliveredLastHour: delivered,
    failureRateLastHour: rate(delivered, failed),
  };
}

function rate(delivered: number, failed: number): number | null {
  return delivered + failed === 0 ? null : failed / (delivered + failed);
}
