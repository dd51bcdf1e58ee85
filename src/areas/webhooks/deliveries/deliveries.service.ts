import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { toListRequest } from '#libs/resource/list-query.js';
import type { Page } from '#libs/resource/resource.repository.js';
import { EndpointsService } from '../endpoints/endpoints.service.js';
import {
  DELIVERY_TYPE,
  deliveryList,
  type WebhookDeliveryView,
  type WebhookDeliveryWithAnswers,
} from './delivery.dto.js';
import type { Delivery } from './delivery.entity.js';
import { DeliveriesRepository } from './deliveries.repository.js';

/** Deliveries as customers see them: one event for one endpoint, with its attempts. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly repository: DeliveriesRepository,
    private readonly endpoints: EndpointsService,
  ) {}

  /** Deliveries to one endpoint. @throws Problem 404. */
  async list(endpointId: string, query: Record<string, unknown>): Promise<Page<WebhookDeliveryView>> {
    await this.endpoints.find(endpointId);
    const { data, page } = await this.repository.pageOfEndpoint(endpointId, toListRequest(deliveryList, query));
    const attempts = await this.repository.attemptsOf(data.map(({ id }) => id));
    return { data: data.map((row) => ({ ...present(row), attempts: attempts.get(row.id)! })), page };
  }

  /** One delivery, also to an endpoint that is deleted. @throws Problem 404. */
  async get(id: string): Promise<WebhookDeliveryWithAnswers> {
    const row = await this.repository.find(id);
    if (!row) throw Problem.notFound();
    return { ...present(row), attempts: await this.repository.attemptsWithAnswers(id) };
  }
}

function present({ tenantId: _, dueAt, ...view }: Delivery): Omit<WebhookDeliveryView, 'attempts'> {
  return { ...view, object: DELIVERY_TYPE, nextAttemptAt: view.status === 'in_flight' ? null : dueAt };
}
