import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { id } from '#libs/http/field.js';
import { Cursors } from '#libs/kernel/cursor.js';
import { filter, type ListOptions, type ListRequest } from '#libs/resource/list-query.js';
import { type Page, ResourceRepository } from '#libs/resource/resource.repository.js';
import { currentTenant } from '#libs/tenancy/scope.js';
import { deliveryList, type WebhookAttemptView, type WebhookAttemptWithAnswer } from './delivery.dto.js';
import { Delivery } from './delivery.entity.js';

const COLUMNS = `number, started_at as "startedAt", duration_ms as "durationMs", http_status as "httpStatus", error,
  error_detail as "errorDetail"`;
const ATTEMPTS = `select delivery_id as "deliveryId", ${COLUMNS} from data.webhook_attempts
  where tenant_id = $1 and delivery_id = any($2::uuid[]) order by delivery_id, number`;
const ATTEMPTS_WITH_ANSWERS = `select ${COLUMNS}, response_excerpt as "responseExcerpt" from data.webhook_attempts
  where tenant_id = $1 and delivery_id = $2 order by number`;
const OF_ONE_ENDPOINT: ListOptions = {
  ...deliveryList,
  filters: { ...deliveryList.filters, endpointId: filter.exact(id()) },
};

@Injectable()
export class DeliveriesRepository extends ResourceRepository<Delivery> {
  constructor(database: Database, cursors: Cursors) {
    super(database, cursors, Delivery);
  }

  /** One page of the deliveries to an endpoint, in the order asked for (webhook_deliveries_endpoint_idx). */
  pageOfEndpoint(endpointId: string, request: ListRequest): Promise<Page<Delivery>> {
    const own = { field: 'endpointId', operator: 'eq', value: endpointId } as const;
    return this.page({ ...request, filters: [own, ...request.filters] }, OF_ONE_ENDPOINT);
  }

  /** The attempts of several deliveries by delivery, each in order. */
  async attemptsOf(deliveryIds: string[]): Promise<Map<string, WebhookAttemptView[]>> {
    const attempts = new Map<string, WebhookAttemptView[]>(deliveryIds.map((each) => [each, []]));
    if (deliveryIds.length === 0) return attempts;
    const query = statement(ATTEMPTS, [currentTenant().id, deliveryIds]);
    const rows = await this.database.read<WebhookAttemptView & { deliveryId: string }>(query);
    for (const { deliveryId, ...attempt } of rows) attempts.get(deliveryId)!.push(attempt);
    return attempts;
  }

  /** The attempts of one delivery in order, with what was answered. */
  attemptsWithAnswers(deliveryId: string): Promise<WebhookAttemptWithAnswer[]> {
    return this.database.read(statement(ATTEMPTS_WITH_ANSWERS, [currentTenant().id, deliveryId]));
  }
}
