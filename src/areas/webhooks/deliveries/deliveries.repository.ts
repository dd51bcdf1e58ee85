import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { Cursors } from '#libs/kernel/cursor.js';
import type { ListOptions, ListRequest } from '#libs/resource/lists/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/lists/resource.repository.js';
import type { Guard } from '#libs/resource/lists/table.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { spanOf } from '#libs/webhooks/id-span.js';
import type { DeliveryStatus } from '#libs/webhooks/delivery-status.js';
import { ATTEMPTS } from '#libs/webhooks/sending/first-attempt.js';
import { SHOWN_OF_ATTEMPT } from '../attempt-columns.js';
import type { WebhookAttemptView, WebhookAttemptWithAnswer } from './delivery-attempt.dto.js';
import { deliveryList } from './delivery.dto.js';
import { Delivery } from './delivery.entity.js';
import { indexed, withIndexed } from './delivery-filters.js';

/** The mutable columns of a delivery, read together with its queue entry. */
export interface DeliveryState {
  id: string;
  status: DeliveryStatus;
  generation: number;
  /** Scheduled attempts in this generation. */
  attemptsUsed: number;
  attemptCount: number;
  nextAttemptAt: string | null;
  /** End of the current lease. */
  leaseUntil: string | null;
  skipReason: string | null;
  deliveredAt: string | null;
}

/** Maximum number of attempts per delivery that are shown with their responses, of up to 16 KiB each. */
const ANSWERS_SHOWN = 100;
const STATES = `
  select d.id, case when q.leased then 'in_flight' else d.status end as status, d.generation, d.attempts as "attemptsUsed",
    d.attempt_count as "attemptCount", case when not q.leased then q.due_at end as "nextAttemptAt",
    case when q.leased then q.leased_until end as "leaseUntil", d.skip_reason as "skipReason", d.delivered_at as "deliveredAt"
  from data.webhook_deliveries d left join lateral (
    select due_at, leased_until, coalesce(leased_until > now(), false) as leased from data.webhook_queue
    where tenant_id = d.tenant_id and delivery_id = d.id) q on true
  where d.tenant_id = $1 and d.id = any($2::uuid[]) and d.id between $3 and $4`;
const ATTEMPTS_OF = `select delivery_id as "deliveryId", ${SHOWN_OF_ATTEMPT} from ${ATTEMPTS} a
  where tenant_id = $1 and delivery_id = any($2::uuid[]) and delivery_id between $3 and $4 order by delivery_id, number`;
const ATTEMPTS_WITH_ANSWERS = `
  select * from (
    select ${SHOWN_OF_ATTEMPT}, response_headers as "responseHeaders", response_excerpt as "responseExcerpt"
    from ${ATTEMPTS} a where tenant_id = $1 and delivery_id = $2 order by number desc limit ${ANSWERS_SHOWN}) a
  order by number`;

@Injectable()
export class DeliveriesRepository extends ResourceRepository<Delivery> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Delivery);
  }

  /** One page of the deliveries to an endpoint, in the requested order (webhook_deliveries_endpoint_idx). */
  pageOfEndpoint(endpointId: string, request: ListRequest): Promise<Page<Delivery>> {
    const own = { field: 'endpointId', operator: 'eq', value: endpointId } as const;
    return this.pageByIndex({ ...request, filters: [own, ...request.filters] }, deliveryList);
  }

  /** One page of deliveries. A filter `status` in `options` applies to the status that callers see. */
  pageByIndex(request: ListRequest, options: ListOptions, guard: Guard | null = null): Promise<Page<Delivery>> {
    return this.page({ ...request, filters: indexed(request.filters) }, withIndexed(options), guard);
  }

  /** The mutable columns of deliveries, by id. */
  async states(ids: readonly string[]): Promise<Map<string, DeliveryState>> {
    if (ids.length === 0) return new Map();
    const query = statement(STATES, [currentTenant().id, ids, ...spanOf(ids)]);
    const rows = await this.database.read<DeliveryState>(query);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** The attempts of several deliveries by delivery, in order. */
  async attemptsOf(deliveryIds: readonly string[]): Promise<Map<string, WebhookAttemptView[]>> {
    const attempts = new Map<string, WebhookAttemptView[]>(deliveryIds.map((each) => [each, []]));
    if (deliveryIds.length === 0) return attempts;
    const query = statement(ATTEMPTS_OF, [currentTenant().id, deliveryIds, ...spanOf(deliveryIds)]);
    const rows = await this.database.read<WebhookAttemptView & { deliveryId: string }>(query);
    for (const { deliveryId, ...attempt } of rows) attempts.get(deliveryId)!.push(attempt);
    return attempts;
  }

  /** The attempts of one delivery in order, with their responses. */
  attemptsWithAnswers(deliveryId: string): Promise<WebhookAttemptWithAnswer[]> {
    return this.database.read(statement(ATTEMPTS_WITH_ANSWERS, [currentTenant().id, deliveryId]));
  }
}
