import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import { Database } from '#libs/database/database.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Problem } from '#libs/kernel/problem.js';
import { OutboundClient } from '#libs/outbound/outbound-client.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { EventCatalogue, type EventType } from '#libs/outbox/event-catalogue.js';
import { eventExample } from '#libs/outbox/event-schema.js';
import { currentScope, currentTenant } from '#libs/tenancy/scope.js';
import { attemptError, deliveryRequest } from '#libs/webhooks/delivery-request.js';
import { EndpointSecrets } from '#libs/webhooks/endpoint-secrets.js';
import type { TestWebhookEndpoint, WebhookTestResult } from './endpoint.dto.js';
import type { Endpoint } from './endpoint.entity.js';
import { PING } from './endpoint.events.js';
import { ENDPOINT_TYPE } from './endpoint.lifecycle.js';
import { endpointName, endpointPath, EndpointsService } from './endpoints.service.js';

/** Tests of webhook endpoints. */
@Injectable()
export class EndpointTestsService {
  constructor(
    private readonly endpoints: EndpointsService,
    private readonly secrets: EndpointSecrets,
    private readonly events: EventCatalogue,
    private readonly outbound: OutboundClient,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends the example of an event type once, now, in whatever state the endpoint is, and tells what came of it. It is no
   * delivery: nothing is retried, and only the audit log remembers it.
   * @throws Problem 404, 400 for an unknown event type.
   */
  async send(id: string, { eventType = PING }: TestWebhookEndpoint): Promise<WebhookTestResult> {
    const endpoint = await this.endpoints.find(id);
    const event = this.testEvent(endpoint, this.known(eventType));
    const result = await this.attempt(endpoint, event);
    const error = attemptError(result);
    const answer: WebhookTestResult = {
      delivered: error === null,
      httpStatus: result.httpStatus,
      durationMs: result.durationMs,
      error,
      errorDetail: result.errorDetail,
      responseExcerpt: result.httpStatus === null ? null : result.bodyExcerpt,
      eventId: event.id,
    };
    return this.database.transaction(async (transaction) => {
      transaction.write(this.auditEntry(endpoint, answer));
      return answer;
    });
  }

  private known(eventType: string): EventType {
    if (this.events.all().some(({ type }) => type === eventType)) return this.events.newest(eventType);
    throw Problem.validation([
      { pointer: '/eventType', code: 'unknown_event_type', detail: 'There is no such event type.' },
    ]);
  }

  /** A whole event that matches its schema, fresh but for its subject. It has no place in the sequence, hence `0`. */
  private testEvent(endpoint: Endpoint, type: EventType) {
    const { actor, requestId } = currentScope();
    const ping = type.type === PING;
    const example = eventExample(type);
    return {
      ...example,
      sequence: '0',
      id: uuidv7(),
      type: type.type,
      schemaVersion: type.version,
      occurredAt: this.clock.now().toISOString(),
      tenantId: currentTenant().id,
      actor,
      requestId,
      ...(ping ? { subject: subjectOf(endpoint), data: { endpointId: endpoint.id, message: 'ping' } } : {}),
    };
  }

  private async attempt(
    endpoint: Endpoint,
    event: { id: string; type: string; schemaVersion: number },
  ): Promise<OutboundResult> {
    const { id, url, timeoutMs, previousSecretSealed, previousSecretExpiresAt } = endpoint;
    const nowMs = this.clock.nowMs();
    const hasPrevious = previousSecretSealed !== null && Date.parse(previousSecretExpiresAt!) > nowMs;
    const request = deliveryRequest({
      url,
      timeoutMs,
      event,
      body: JSON.stringify(event),
      deliveryId: uuidv7(),
      attempt: 1,
      nowMs,
      secret: await this.secrets.open(endpoint.secretSealed, id),
      previousSecret: hasPrevious ? await this.secrets.open(previousSecretSealed, id) : null,
    });
    return this.outbound.request(request);
  }

  private auditEntry(endpoint: Endpoint, { delivered, error }: WebhookTestResult) {
    return auditStatement(
      currentScope(),
      {
        action: `${ENDPOINT_TYPE}.tested`,
        target: { type: ENDPOINT_TYPE, id: endpoint.id, name: endpointName(endpoint) },
        outcome: delivered ? 'success' : 'failed',
        riskLevel: 'low',
        reason: error,
      },
      this.clock.now().toISOString(),
    );
  }
}

function subjectOf({ id, version }: Endpoint) {
  return { type: ENDPOINT_TYPE, id, reference: null, version, url: endpointPath(id) };
}
