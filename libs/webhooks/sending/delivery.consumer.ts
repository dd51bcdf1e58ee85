import { Inject, Injectable, Logger } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '#libs/config/settings.js';
import { logFailure } from '#libs/database/log-failure.js';
import { Clock } from '#libs/kernel/clock.js';
import { timeOf, uuidv7 } from '#libs/kernel/id.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { OutboundClient } from '#libs/outbound/outbound-client.js';
import type { OutboundResult } from '#libs/outbound/outbound-result.js';
import { errorTypeOf, type Span } from '#libs/telemetry/tracing.js';
import { runAsSystem, type TenantFacts } from '#libs/tenancy/scope.js';
import { DeliveryRepository, type TenantLeases } from '../leases/delivery.repository.js';
import { type DoneDelivery, isWanted, type LeasedDelivery, type TakenDelivery } from '../leases/leased-delivery.js';
import { EndpointHealth } from '../lanes/endpoint-health.js';
import { deliverySpan } from './delivery-span.js';
import { judge } from './judge.js';
import { LaneHealthRecorder } from '../lanes/lane-health.recorder.js';
import { LeaseKeeper } from '../leases/lease-keeper.js';
import { SendingJournal } from '../leases/sending-journal.js';
import { Settlements } from './settlements.js';
import { SignedRequests, UNPREPARED } from './signed-requests.js';
import { Slots } from './slots.js';
import { TenantFactsReader } from '#libs/worker/tenant-facts.js';
import { WorkerPresence } from '#libs/worker/worker-presence.js';

/** A queue job: deliveries that were leased together. */
export interface DeliveryJob {
  token: string;
  tenants: { id: string; deliveryIds: string[] }[];
}

const ACTOR = 'webhook delivery';

/** Delay of a delivery that the platform could not prepare: as long as it has already waited, within these bounds. */
const SHORTEST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

/**
 * Concurrent attempts of a new process, counted until their results are sent to the database. Doubles every two and a
 * half seconds, then the limit ends. Attempts in progress when a process dies are repeated, so this limits repetitions
 * by a process that keeps dying soon after its start.
 */
export const FIRST_WINDOW = 13;
const LAST_WINDOW = 256;
const DOUBLING_MS = 2_500;

/** A delivery whose attempt is about to start. */
interface Beginning {
  tenant: TenantFacts;
  delivery: LeasedDelivery;
  onBegun: () => void;
}

/** Result of an attempt. */
interface Attempt {
  /** Whether a request could be created. */
  isRequest: boolean;
  result: OutboundResult;
  startedMs: number;
  keyIds: string[];
}

/**
 * Makes the attempts of queue jobs. A job is done once its attempts have started, so a slow endpoint occupies slots of
 * the process but none of the queue. From then on, only the lease in PostgreSQL determines who owns the delivery.
 */
@Injectable()
export class DeliveryConsumer {
  private readonly logger = new Logger('webhooks');
  private readonly slots: Slots<Beginning>;
  private readonly window = new Slots<Beginning>(FIRST_WINDOW, (each) => this.slots.take(each));
  private running = 0;
  private readonly beginning = new Set<Promise<void>>();
  private readonly aborting = new AbortController();
  private windowSize = FIRST_WINDOW;
  private widening: NodeJS.Timeout | undefined;
  private stopping = false;
  private onSettled: (delivery: DoneDelivery) => void = () => undefined;
  private onIdle: () => void = () => undefined;

  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Pick<Settings, 'WORKER_CONCURRENCY'>,
    private readonly repository: DeliveryRepository,
    private readonly keeper: LeaseKeeper,
    private readonly journal: SendingJournal,
    private readonly presence: WorkerPresence,
    private readonly settlements: Settlements,
    private readonly tenants: TenantFactsReader,
    private readonly requests: SignedRequests,
    private readonly health: EndpointHealth,
    private readonly recorder: LaneHealthRecorder,
    private readonly outbound: OutboundClient,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.slots = new Slots(settings.WORKER_CONCURRENCY, (each) => void this.deliver(each));
    metrics.gauge('webhook_deliveries_running', 'Deliveries this process works on.', () => this.running);
  }

  /** Current limit of concurrent deliveries, which is lower just after startup. */
  get places(): number {
    return Math.min(this.settings.WORKER_CONCURRENCY, this.windowSize);
  }

  /** Starts taking jobs. `onSettled` is called whenever a delivery is done, because others can then be leased. */
  start(onSettled: (delivery: DoneDelivery) => void): void {
    this.onSettled = onSettled;
    this.widenLater();
  }

  /**
   * Takes a job over and starts its attempts; resolves once all have started. Running it twice has no further effect.
   */
  async run({ token, tenants }: DeliveryJob): Promise<void> {
    if (this.stopping) return;
    const known = await this.tenants.findAll(tenants.map(({ id }) => id));
    const parts = tenants.flatMap(({ id, deliveryIds }) => {
      const tenant = known.get(id);
      return tenant ? [{ tenant, deliveryIds }] : [];
    });
    const kinds = new Map(
      parts.flatMap(({ deliveryIds }) => deliveryIds.map((id) => [id, this.keeper.take(id, token)])),
    );
    const those = (kind: 'own' | 'foreign') =>
      parts.map(({ tenant, deliveryIds }) => ({
        tenant,
        deliveryIds: deliveryIds.filter((id) => kinds.get(id) === kind),
      }));
    await Promise.all([this.runOwn(those('own'), token), this.runForeign(those('foreign'), token)]);
  }

  /** Starts attempts of deliveries that this process has created and leased; resolves once all have started. */
  async runDirect(taken: readonly TakenDelivery[]): Promise<void> {
    let lost = taken;
    const begun = (async () => {
      const tenants = await this.tenants.findAll(taken.map(({ tenantId }) => tenantId));
      const known = taken.filter(({ tenantId }) => tenants.has(tenantId));
      const deliveries = await this.repository.withEndpoints(known, tenants);
      const ids = new Set(deliveries.map(({ id }) => id));
      lost = taken.filter(({ id }) => !ids.has(id));
      await this.beginAll(tenants, deliveries);
    })().finally(() => {
      this.beginning.delete(begun);
      for (const each of lost) this.doneWith(each); // they are due when their leases run out
    });
    this.beginning.add(begun);
    await begun;
  }

  /** Leases that this process already renews: nothing needs to be written. */
  private async runOwn(parts: readonly TenantLeases[], token: string): Promise<void> {
    const lost = new Set(parts.flatMap(({ deliveryIds }) => deliveryIds));
    try {
      const deliveries = await this.repository.take(parts, token, null);
      for (const { id } of deliveries) lost.delete(id);
      for (const id of lost) this.keeper.done(id);
      lost.clear();
      await this.beginAll(tenantsOf(parts), deliveries);
    } finally {
      for (const id of lost) this.keeper.done(id); // they are due when their leases run out
    }
  }

  /** Leases of another process, or forgotten ones of this process: the first to run the job gets them. */
  private async runForeign(parts: readonly TenantLeases[], token: string): Promise<void> {
    const newToken = this.presence.token();
    const deliveries = await this.repository.take(parts, token, newToken);
    for (const each of deliveries) this.keeper.work(each);
    await this.beginAll(tenantsOf(parts), deliveries);
  }

  /** Starts no more attempts, and releases deliveries that have not started. */
  close(): void {
    this.stopping = true;
    clearTimeout(this.widening);
    this.window.open();
    this.slots.open();
  }

  /** Waits for running attempts; after `limitMs` they are aborted and released for another worker. */
  async drain(limitMs: number): Promise<void> {
    const timer = setTimeout(() => this.aborting.abort(), limitMs);
    while (this.running + this.beginning.size > 0) await Promise.allSettled([...this.beginning, this.idle()]);
    clearTimeout(timer);
  }

  private async idle(): Promise<void> {
    if (this.running > 0) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  private widenLater(): void {
    this.widening = setTimeout(() => {
      const size = this.windowSize;
      this.windowSize = size < LAST_WINDOW ? size * 2 : Infinity;
      if (this.windowSize === Infinity) return this.window.open();
      this.window.add(size);
      this.widenLater();
    }, DOUBLING_MS).unref();
  }

  private async beginAll(
    tenants: ReadonlyMap<string, TenantFacts>,
    deliveries: readonly LeasedDelivery[],
  ): Promise<void> {
    const closed = Map.groupBy(
      deliveries.filter((delivery) => !isWanted(delivery)),
      ({ tenantId }) => tenantId,
    );
    const setAside = Array.from(closed, ([tenantId, own]) => this.setAside(tenants.get(tenantId)!, own));
    const wanted = deliveries.filter(isWanted);
    let left = wanted.length;
    const begun = new Promise<void>((resolve) => {
      if (left === 0) resolve();
      const onBegun = () => {
        if (--left === 0) resolve();
      };
      // Each is sent when a slot is free; until then it is only an entry in a waiting list.
      for (const delivery of wanted) this.window.take({ tenant: tenants.get(delivery.tenantId)!, delivery, onBegun });
    });
    await Promise.all([begun, ...setAside]);
  }

  private async deliver({ tenant, delivery, onBegun }: Beginning): Promise<void> {
    this.running++;
    onBegun();
    const span = deliverySpan(delivery);
    let failure: string | null = null;
    let isUnderWay = true;
    const onSent = (): void => {
      if (isUnderWay) this.window.giveBack();
      isUnderWay = false;
    };
    try {
      const attempt = await this.attempt(tenant, delivery, span);
      if (attempt && !attempt.result.ok) failure = attempt.result.error ?? 'http_status';
      if (attempt) await this.settle(tenant, delivery, attempt, onSent);
      else await this.giveBack(delivery);
    } catch (error) {
      failure = errorTypeOf(error);
      logFailure(this.logger, `The delivery ${delivery.id} failed`, error);
    }
    span?.end(failure);
    onSent(); // there may have been no result
    this.running--;
    this.doneWith(delivery);
    if (this.running === 0) this.onIdle();
  }

  private async settle(
    tenant: TenantFacts,
    delivery: LeasedDelivery,
    { isRequest, result, startedMs, keyIds }: Attempt,
    onSent: () => void,
  ): Promise<void> {
    if (!isRequest && delivery.cause !== 'manual') return this.postpone(delivery);
    const { status, pauseMs, error, retryAfterMs, disable } = judge(
      delivery,
      result,
      this.clock.nowMs(),
      Math.random(),
    );
    const { endpointId, cause, troubled } = delivery;
    // Disable first: deliveries held for an endpoint that is still enabled would be released again.
    if (disable) await this.as(tenant, () => this.health.disable(endpointId, disable));
    const startedAt = new Date(startedMs).toISOString();
    await this.settlements.add({ delivery, status, pauseMs, error, startedAt, result, keyIds }, onSent);
    if (!isRequest) return; // no fault of the endpoint
    await this.recorder.record(tenant, {
      endpointId,
      error,
      httpStatus: result.httpStatus,
      durationMs: result.timings.totalMs,
      retryAfterMs,
      troubled,
      manual: cause === 'manual',
    });
  }

  /** A delivery that the platform cannot prepare does not count as an attempt, because the endpoint got no request. */
  private async postpone(delivery: LeasedDelivery): Promise<void> {
    const waitedMs = this.clock.nowMs() - timeOf(delivery.id);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, waitedMs));
    await this.repository.postpone(delivery, pauseMs);
  }

  /** Null if no attempt was made, or it was aborted, because the process is stopping. */
  private async attempt(tenant: TenantFacts, delivery: LeasedDelivery, span: Span | null): Promise<Attempt | null> {
    try {
      if (this.stopping) return null;
      const startedMs = this.clock.nowMs();
      const signed = await this.requests.make(tenant, delivery, startedMs);
      if (signed === null) return { isRequest: false, result: UNPREPARED, startedMs, keyIds: [] };
      const { request, keyIds } = signed;
      request.signal = this.aborting.signal;
      if (span) request.parent = span.traceparent;
      const result = await this.outbound.request(request);
      return result.error === 'aborted' ? null : { isRequest: true, result, startedMs, keyIds };
    } finally {
      this.slots.giveBack(); // the next attempt begins when this one ends: its result is written with those of others
    }
  }

  /** A row is created for a delivery without one as soon as its lease is no longer renewed. */
  private async giveBack(delivery: LeasedDelivery): Promise<void> {
    if (!(await this.journal.hasStill(delivery))) await this.repository.giveBack([delivery]);
  }

  private async setAside(tenant: TenantFacts, closed: LeasedDelivery[]): Promise<void> {
    try {
      await this.journal.record(closed);
      const done = await this.as(tenant, () => this.repository.setAside(closed));
      await this.repository.giveBack(closed.filter(({ id }) => !done.has(id)));
    } catch (error) {
      logFailure(this.logger, `${closed.length} deliveries could not be set aside, and are due again`, error);
    }
    for (const each of closed) this.doneWith(each);
  }

  /** Without a result its lease expires, and it is due again. */
  private doneWith(delivery: DoneDelivery): void {
    this.journal.done(delivery);
    this.keeper.done(delivery.id);
    this.onSettled(delivery);
  }

  /** Each task has a separate scope: attempts run concurrently and must not share a transaction. */
  private as<T>(tenant: TenantFacts, work: () => Promise<T>): Promise<T> {
    return runAsSystem(tenant, ACTOR, uuidv7(), work);
  }
}

function tenantsOf(parts: readonly TenantLeases[]): Map<string, TenantFacts> {
  return new Map(parts.map(({ tenant }) => [tenant.id, tenant]));
}
