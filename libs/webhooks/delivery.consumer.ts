import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { Clock } from '#libs/kernel/clock.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { OutboundClient } from '#libs/outbound/outbound-client.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { wireBody } from '#libs/outbox/event.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { attemptError, deliveryRequest } from './delivery-request.js';
import { DeliveryRepository, type LeasedDelivery, type SettledAttempt } from './delivery.repository.js';
import { EndpointHealth } from './endpoint-health.js';
import { EndpointSecrets } from './endpoint-secrets.js';
import { LeaseKeeper } from './lease-keeper.js';
import { pauseAfter, readRetryAfter } from './retry-schedule.js';
import { Settlements } from './settlements.js';
import { Slots } from './slots.js';
import { TenantFactsReader } from './tenant-facts.js';

/** A job of the queue: deliveries of one tenant that were leased together. */
export interface DeliveryJob {
  tenantId: string;
  token: string;
  ids: string[];
}

const ACTOR = 'webhook delivery';

/**
 * Makes the attempts that the queue brings. A job ends when its attempts have begun, so a slow endpoint holds places of
 * the process but none of the queue; from then on only the lease in PostgreSQL says whose the delivery is.
 */
@Injectable()
export class DeliveryConsumer {
  private readonly logger = new Logger('webhooks');
  private readonly slots: Slots;
  private readonly running = new Set<Promise<void>>();
  private readonly aborting = new AbortController();
  private readonly attempts: Counter;
  private stopping = false;
  private onSettled: () => void = () => undefined;

  constructor(
    @Inject(SETTINGS_TOKEN) settings: Pick<Settings, 'WORKER_CONCURRENCY'>,
    private readonly repository: DeliveryRepository,
    private readonly keeper: LeaseKeeper,
    private readonly settlements: Settlements,
    private readonly tenants: TenantFactsReader,
    private readonly secrets: EndpointSecrets,
    private readonly health: EndpointHealth,
    private readonly outbound: OutboundClient,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.slots = new Slots(settings.WORKER_CONCURRENCY);
    this.attempts = metrics.counter('webhook_attempts_total', 'Attempts to deliver a webhook.', ['outcome']);
    metrics.gauge('webhook_deliveries_running', 'Deliveries this process works on.', () => this.running.size);
  }

  /** Called whenever deliveries are done with, so that others can be claimed. */
  whenSettled(listener: () => void): void {
    this.onSettled = listener;
  }

  /** Takes a job over and begins its attempts; resolves when all have begun. Running it twice does nothing more. */
  async run({ tenantId, token, ids }: DeliveryJob): Promise<void> {
    if (this.stopping) return;
    this.keeper.unqueue(ids);
    const tenant = await this.tenants.find(tenantId);
    if (!tenant) return;
    const newToken = randomUUID();
    const deliveries = await this.as(tenant, () => this.repository.takeOver(ids, token, newToken));
    for (const { id } of deliveries) this.keeper.work({ tenantId, id, token: newToken });
    const closed = deliveries.filter(({ open }) => !open);
    if (closed.length > 0) await this.setAside(tenant, closed, newToken);
    await Promise.all(deliveries.filter(({ open }) => open).map((each) => this.begin(tenant, each, newToken)));
  }

  /** Begins nothing more, and gives back what has not begun. */
  close(): void {
    this.stopping = true;
    this.slots.open();
  }

  /** Waits for the running attempts; after `limitMs` they are cut off and given back, so that another worker makes them. */
  async drain(limitMs: number): Promise<void> {
    const timer = setTimeout(() => this.aborting.abort(), limitMs);
    while (this.running.size > 0) await Promise.all(this.running);
    clearTimeout(timer);
  }

  private async begin(tenant: TenantFacts, delivery: LeasedDelivery, token: string): Promise<void> {
    await this.slots.take();
    const work = this.as(tenant, () => this.deliver(tenant, delivery, token))
      .catch((error: unknown) => this.logger.error(`The delivery ${delivery.id} failed: ${String(error)}`))
      .finally(() => {
        this.keeper.done(delivery.id); // without a result the lease runs out and the delivery is due again
        this.slots.giveBack();
        this.running.delete(work);
        this.onSettled();
      });
    this.running.add(work);
  }

  private async deliver(tenant: TenantFacts, delivery: LeasedDelivery, token: string): Promise<void> {
    const lease = { tenantId: tenant.id, id: delivery.id, token };
    if (this.stopping) return this.repository.giveBack([lease]);
    const { endpointId, previousSecretSealed } = delivery;
    const secret = await this.secrets.open(delivery.secretSealed, endpointId);
    const previousSecret = previousSecretSealed && (await this.secrets.open(previousSecretSealed, endpointId));
    const nowMs = this.clock.nowMs();
    const result = await this.outbound.request({
      ...deliveryRequest({
        url: delivery.url,
        timeoutMs: delivery.timeoutMs,
        event: { id: delivery.eventId, type: delivery.eventType, schemaVersion: delivery.schemaVersion },
        body: wireBody(delivery.envelope, delivery.sequence),
        deliveryId: delivery.id,
        attempt: delivery.attempts + 1,
        nowMs,
        secret,
        previousSecret,
      }),
      signal: this.aborting.signal,
    });
    if (result.error === 'aborted') return this.repository.giveBack([lease]);
    const attempt = this.judge(delivery, token, result, nowMs);
    this.attempts.inc({ outcome: attempt.status });
    // Disabled first: what is held for an endpoint that still is enabled would be released again.
    if (attempt.error === 'endpoint_gone') await this.health.disableGone(endpointId);
    await this.settlements.add(tenant, attempt);
  }

  private judge(delivery: LeasedDelivery, token: string, result: OutboundResult, startedMs: number): SettledAttempt {
    const error = attemptError(result);
    const retryAfterMs = readRetryAfter(result.responseHeaders['retry-after'], this.clock.nowMs());
    const pauseMs = error === null || error === 'endpoint_gone' ? null : this.pause(delivery, retryAfterMs);
    return {
      id: delivery.id,
      token,
      status: statusAfter(error, pauseMs),
      pauseMs,
      attemptId: uuidv7(),
      startedAt: new Date(startedMs).toISOString(),
      durationMs: result.durationMs,
      httpStatus: result.httpStatus,
      error,
      errorDetail: result.errorDetail,
      responseExcerpt: result.httpStatus === null ? null : result.bodyExcerpt,
    };
  }

  private pause({ attempts }: LeasedDelivery, retryAfterMs: number | null): number | null {
    return pauseAfter(attempts + 1, retryAfterMs, Math.random());
  }

  private async setAside(tenant: TenantFacts, closed: LeasedDelivery[], token: string): Promise<void> {
    const done = await this.as(tenant, () => this.repository.setAside(closed, token));
    const reopened = closed.filter(({ id }) => !done.has(id));
    await this.repository.giveBack(reopened.map(({ id }) => ({ tenantId: tenant.id, id, token })));
    for (const { id } of closed) this.keeper.done(id);
    this.onSettled();
  }

  /** Each piece of work has a scope of its own: attempts run side by side and must not share a transaction. */
  private as<T>(tenant: TenantFacts, work: () => Promise<T>): Promise<T> {
    return runAsSystem(tenant, ACTOR, uuidv7(), work);
  }
}

function statusAfter(error: string | null, pauseMs: number | null): SettledAttempt['status'] {
  if (error === null) return 'delivered';
  if (error === 'endpoint_gone') return 'held';
  return pauseMs === null ? 'exhausted' : 'retrying';
}
