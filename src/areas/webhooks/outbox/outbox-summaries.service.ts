import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { cut } from '#libs/kernel/cut.js';
import { fractionOf } from '#libs/kernel/fraction.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '#libs/webhooks/delivery-status.js';
import { DESTINATION_TYPE } from './outbox-entry.dto.js';
import type { OutboxDestinationSummary, OutboxSummary } from './outbox-list.dto.js';

/*
 * A single statement, so that the counts add up. Open deliveries are found through the queue; stopped ones are counted
 * in webhook_deliveries_stopped_idx; the total comes from an index-only scan of the tenant.
 */
const COUNTS = `
  with open as (
    select d.status, coalesce(q.leased_until > now(), false) as leased, count(*) as count, min(d.created_at) as since
    from data.webhook_queue q join data.webhook_deliveries d on d.tenant_id = q.tenant_id and d.id = q.delivery_id
    where q.tenant_id = $1 group by 1, 2),
  counts as (
    select 'undelivered' as kind, status, sum(count) as count, min(since) as since from open
    where status in ('pending', 'retrying') group by status
    union all
    select 'undelivered', stopped, count(*), null from data.webhook_deliveries
    where tenant_id = $1 and stopped is not null group by stopped
    union all
    select 'leased', status, count, null from open where leased
    union all
    select 'all', 'delivered', count(*), null from data.webhook_deliveries where tenant_id = $1)
  select kind, status, count::bigint as count,
    case status when 'pending' then floor(extract(epoch from now() - since))::integer end as seconds
  from counts`;
const DESTINATIONS = `
  select e.id, e.url, s.delivered, s.failed,
    coalesce(waiting.entries, 0) as waiting
  from data.webhook_endpoints e
  left join (select endpoint_id, count(*) as entries from data.webhook_queue where tenant_id = $1 group by endpoint_id) waiting
    on waiting.endpoint_id = e.id
  cross join lateral (
    select coalesce(sum(delivered), 0) as delivered, coalesce(sum(failed), 0) as failed from data.webhook_stats
    where tenant_id = e.tenant_id and endpoint_id = e.id and minute > now() - interval '1 hour') s
  where e.tenant_id = $1 and e.deleted_at is null order by e.created_at, e.id`;

interface Count {
  kind: 'undelivered' | 'leased' | 'all';
  status: DeliveryStatus;
  count: number;
  /** Age of the oldest pending delivery. */
  seconds: number | null;
}

interface DestinationRow {
  id: string;
  url: string;
  delivered: number;
  failed: number;
  waiting: number;
}

/** Figures of the whole outbox, counted on request. */
@Injectable()
export class OutboxSummaries {
  constructor(private readonly database: Database) {}

  async read(): Promise<OutboxSummary> {
    const values = [currentTenant().id];
    return this.database.transaction(async (transaction) => {
      const counts = await transaction.query<Count>(statement(COUNTS, values));
      const rows = await transaction.query<DestinationRow>(statement(DESTINATIONS, values));
      const delivered = rows.reduce((sum, row) => sum + row.delivered, 0);
      const failed = rows.reduce((sum, row) => sum + row.failed, 0);
      return {
        byStatus: byStatus(counts),
        oldestPendingSeconds: counts.find(({ seconds }) => seconds !== null)?.seconds ?? null,
        deliveredLastHour: delivered,
        failureRateLastHour: fractionOf(failed, delivered + failed),
        perDestination: rows.map(destinationSummary),
      };
    });
  }
}

/** Delivered ones are all minus the undelivered. Deliveries in flight are stored under another status. */
function byStatus(counts: readonly Count[]): Record<DeliveryStatus, number> {
  const figures = Object.fromEntries(DELIVERY_STATUSES.map((each) => [each, 0])) as Record<DeliveryStatus, number>;
  for (const { kind, status, count } of counts) {
    figures[status] += kind === 'leased' ? -count : count;
    if (kind === 'undelivered') figures.delivered -= count;
    if (kind === 'leased') figures.in_flight += count;
  }
  return figures;
}

function destinationSummary({ id, url, delivered, failed, waiting }: DestinationRow): OutboxDestinationSummary {
  return {
    destination: { type: DESTINATION_TYPE, id, name: cut(new URL(url).host, 200) },
    waiting,
    deliveredLastHour: delivered,
    failureRateLastHour: fractionOf(failed, delivered + failed),
  };
}
