import { Injectable } from '@nestjs/common';
import { Problem } from '#libs/kernel/problem.js';
import { toListRequest } from '#libs/resource/lists/list-query.js';
import type { Page } from '#libs/resource/lists/resource.repository.js';
import { EndpointsService } from '../endpoints/endpoints.service.js';
import {
  deliveryList,
  type WebhookDeliveryFields,
  type WebhookDeliveryView,
  type WebhookDeliveryWithAnswers,
} from './delivery.dto.js';
import type { Delivery } from './delivery.entity.js';
import { DELIVERY_TYPE } from '#libs/webhooks/delivery-status.js';
import { DeliveriesRepository, type DeliveryState } from './deliveries.repository.js';

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
    const ids = data.map(({ id }) => id);
    const states = await this.repository.states(ids);
    const attempts = await this.repository.attemptsOf(ids);
    const shown = data.flatMap((row) => {
      const state = states.get(row.id);
      return state ? [withAttempts(row, state, attempts.get(row.id)!)] : []; // else its day was dropped meanwhile
    });
    return { data: shown, page };
  }

  /** One delivery, even to a deleted endpoint. @throws Problem 404. */
  async get(id: string): Promise<WebhookDeliveryWithAnswers> {
    const row = await this.repository.find(id);
    const state = row && (await this.repository.states([id])).get(id);
    if (!state) throw Problem.notFound();
    return withAttempts(row, state, await this.repository.attemptsWithAnswers(id));
  }
}

/** Attempts after the state was read are omitted, because they would contradict it. */
function withAttempts<A extends { number: number }>(row: Delivery, state: DeliveryState, attempts: A[]) {
  const { id, endpointId, eventId, eventType, sequence, createdAt } = row;
  const { leaseUntil: _, ...changing } = state;
  const fields: WebhookDeliveryFields = {
    ...{ id, object: DELIVERY_TYPE, endpointId, eventId, eventType, sequence: String(sequence), createdAt },
    ...changing,
  };
  return { ...fields, attempts: attempts.filter(({ number }) => number <= state.attemptCount) };
}
