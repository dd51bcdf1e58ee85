import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { logFailure } from '#libs/database/log-failure.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { uuidv7 } from '#libs/kernel/id.js';
import type { OutboundRequest } from '#libs/outbound/outbound-client.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { renderBody } from '#libs/outbox/event-body.js';
import { EventCatalogue } from '#libs/outbox/event-catalogue.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { deliveryRequest } from './delivery-request.js';
import { EndpointMemory, type OpenedSettings } from '../lanes/endpoint-memory.js';
import type { LeasedDelivery } from '../leases/leased-delivery.js';
import { PayloadSamples } from './payload-samples.js';
import { keyId } from './signature.js';

/** A request, and the ids of the keys that were used to sign it. */
export interface SignedRequest {
  request: OutboundRequest;
  keyIds: string[];
}

/**
 * The result if no request can be created, because a secret cannot be decrypted or an event cannot be rendered. A
 * manual attempt shows it; otherwise the delivery waits.
 */
export const UNPREPARED: OutboundResult = {
  ok: false,
  httpStatus: null,
  error: 'invalid_request',
  errorDetail: 'PLATFORM_FAULT',
  timings: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: 0 },
  remoteAddress: null,
  responseHeaders: {},
  bodyExcerpt: '',
  bodyTruncated: false,
};

/** Creates the requests of attempts, with the current URL, headers and secrets of the endpoint. */
@Injectable()
export class SignedRequests {
  private readonly logger = new Logger('webhooks');
  private readonly faults: Counter;

  constructor(
    private readonly endpoints: EndpointMemory,
    private readonly events: EventCatalogue,
    private readonly samples: PayloadSamples,
    metrics: Metrics,
  ) {
    this.faults = metrics.counter(
      'webhook_platform_faults_total',
      'Attempts that the platform could not prepare: a secret that cannot be opened, an event that cannot be rendered.',
    );
  }

  /** The request of an attempt; null if it cannot be created. */
  async make(tenant: TenantFacts, delivery: LeasedDelivery, nowMs: number): Promise<SignedRequest | null> {
    const { endpoint } = delivery;
    try {
      const opened =
        endpoint.opened ??
        (await runAsSystem(tenant, 'webhook delivery', uuidv7(), () => this.endpoints.open(endpoint)));
      return this.sign(delivery, opened, nowMs);
    } catch (error) {
      logFailure(this.logger, `The request of the delivery ${delivery.id} cannot be made`, error);
      this.faults.inc();
      return null;
    }
  }

  private sign(
    delivery: LeasedDelivery,
    { secret, previousSecret, customHeaders }: OpenedSettings,
    nowMs: number,
  ): SignedRequest {
    const { endpoint, eventType: type, storedVersion, whole } = delivery;
    const stored = { type, schemaVersion: storedVersion, whole };
    const form = { mode: delivery.payloadMode, version: delivery.schemaVersion };
    const { body, schemaVersion } = renderBody(this.events, stored, form);
    this.samples.look(type, schemaVersion, body);
    const previous = Date.parse(endpoint.previousSecretExpiresAt ?? '') > nowMs ? previousSecret : null;
    const request = deliveryRequest({
      url: endpoint.url,
      timeoutMs: endpoint.timeoutMs,
      event: { id: delivery.eventId, type, schemaVersion, traceparent: delivery.traceparent },
      body,
      deliveryId: delivery.id,
      attempt: delivery.attemptCount + 1,
      replay: delivery.generation > 1 || delivery.cause !== 'schedule',
      customHeaders,
      nowMs,
      secret,
      previousSecret: previous,
    });
    const current = request.headers['x-service-key-id']!;
    return { request, keyIds: previous ? [current, keyId(previous)] : [current] };
  }
}
