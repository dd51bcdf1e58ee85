import { Injectable } from '@nestjs/common';
import { auditStatement } from '#libs/audit/audit-entry.js';
import type { Statement } from '#libs/database/statement.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { OutboundClient } from '#libs/outbound/outbound-client.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { wireBytes } from '#libs/outbox/event.js';
import { renderBody } from '#libs/outbox/event-body.js';
import { EventCatalogue, type EventType } from '#libs/outbox/event-catalogue.js';
import { eventExample } from '#libs/outbox/event-schema.js';
import { currentScope, currentTenant, currentTraceparent } from '#libs/tenancy/scope.js';
import { deliveryRequest } from '#libs/webhooks/sending/delivery-request.js';
import { EndpointSecrets } from '#libs/webhooks/lanes/endpoint-secrets.js';
import { keyId } from '#libs/webhooks/sending/signature.js';
import type { WebhookProbeResult } from '../endpoints/endpoint-actions.dto.js';
import { EndpointAttemptsRepository } from '../endpoint-insight/endpoint-attempts.repository.js';
import { type Endpoint, endpointName, endpointPath } from '../endpoints/endpoint.js';
import { ENDPOINT_TYPE } from '../endpoints/endpoint.lifecycle.js';

/** One attempt without a delivery, and its result. */
export interface Probe {
  eventId: string;
  deliveryId: string;
  startedAt: string;
  result: OutboundResult;
  /** Ids of the secrets used for signatures, the current one first. */
  keyIds: string[];
}

/**
 * Sends single events to an endpoint at once, in the form of a delivery. Nothing is retried, and the endpoint's health
 * does not change.
 */
@Injectable()
export class EndpointProbe {
  constructor(
    private readonly secrets: EndpointSecrets,
    private readonly events: EventCatalogue,
    private readonly outbound: OutboundClient,
    private readonly attempts: EndpointAttemptsRepository,
    private readonly clock: Clock,
  ) {}

  /** Sends the example of an event type. With `data`, sends an event of that type about the endpoint itself. */
  async send(endpoint: Endpoint, type: EventType, data: object | null): Promise<Probe> {
    const { id, url, timeoutMs, headersSealed, previousSecretSealed, previousSecretExpiresAt } = endpoint;
    const eventId = uuidv7();
    const deliveryId = uuidv7();
    const nowMs = this.clock.nowMs();
    const { body, schemaVersion } = this.bodyOf(endpoint, type, eventId, data);
    const hasPrevious = previousSecretSealed !== null && Date.parse(previousSecretExpiresAt!) > nowMs;
    const secret = await this.secrets.open(endpoint.secretSealed, id);
    const previousSecret = hasPrevious ? await this.secrets.open(previousSecretSealed, id) : null;
    const request = deliveryRequest({
      url,
      timeoutMs,
      event: { id: eventId, type: type.type, schemaVersion, traceparent: currentTraceparent() },
      body,
      deliveryId,
      attempt: 1,
      replay: false,
      customHeaders: await this.secrets.openHeaders(headersSealed, id),
      nowMs,
      secret,
      previousSecret,
    });
    const result = await this.outbound.request(request);
    const keyIds = [secret, previousSecret].filter((each) => each !== null).map(keyId);
    return { eventId, deliveryId, startedAt: new Date(nowMs).toISOString(), result, keyIds };
  }

  /** The entry of a probe in the log of attempts. `error` is null if it succeeded. */
  logged({ id }: Endpoint, { deliveryId, startedAt, result, keyIds }: Probe, error: string | null): Statement {
    return this.attempts.add({ endpointId: id, deliveryId, startedAt, result, error, keyIds });
  }

  /** The audit entry of a probe that changed nothing. */
  audited(endpoint: Endpoint, action: string, error: string | null): Statement {
    const fact = {
      action,
      target: { type: ENDPOINT_TYPE, id: endpoint.id, name: endpointName(endpoint) },
      outcome: error === null ? ('success' as const) : ('failed' as const),
      riskLevel: 'low' as const,
      reason: error,
    };
    return auditStatement(currentScope(), fact, this.clock.now().toISOString());
  }

  /** A complete, valid event in the endpoint's format. Its sequence is `0`, because it is not part of the sequence. */
  private bodyOf(endpoint: Endpoint, type: EventType, eventId: string, data: object | null) {
    const { payloadMode, schemaVersions } = endpoint;
    const { actor, requestId } = currentScope();
    const { sequence: _, ...example } = eventExample(type);
    const envelope = {
      ...example,
      id: eventId,
      occurredAt: this.clock.now().toISOString(),
      tenantId: currentTenant().id,
      actor,
      requestId,
      ...(data ? { subject: subjectOf(endpoint), data } : {}),
    };
    const whole = wireBytes(JSON.stringify(envelope), 0);
    const stored = { type: type.type, schemaVersion: type.version, whole };
    // Events about the endpoint itself always contain their data, because they would be useless without it.
    const form = { mode: data ? ('full' as const) : payloadMode, version: schemaVersions[type.type] ?? 1 };
    return renderBody(this.events, stored, form);
  }
}

function subjectOf({ id, version }: Endpoint) {
  return { type: ENDPOINT_TYPE, id, reference: null, version, url: endpointPath(id) };
}

/** The result of a probe for callers. */
export function probeAnswer({ result, eventId, deliveryId }: Probe, error: string | null): WebhookProbeResult {
  return {
    httpStatus: result.httpStatus,
    durationMs: result.timings.totalMs,
    error,
    errorDetail: result.errorDetail,
    responseExcerpt: result.httpStatus === null ? null : result.bodyExcerpt,
    eventId,
    deliveryId,
  };
}
