import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from './delivery.repository.js';
import type { Lease } from './leased-delivery.js';

/** How long leases are renewed while no worker has taken their job from the queue, because the job may be lost. */
const QUEUE_PATIENCE_MS = 10_000;

/**
 * The leases that this process must renew: queued ones, until some worker takes them over, and those of the deliveries
 * in progress here. Renews all with one statement.
 */
@Injectable()
export class LeaseKeeper {
  private readonly queued = new Map<string, Lease & { sinceMs: number }>();
  private readonly working = new Map<string, Lease>();
  /** Number of leases, by tenant and endpoint. */
  private readonly counts = new Map<string, Map<string, number>>();
  private doneWith = 0;
  private direct = 0;

  constructor(private readonly repository: DeliveryRepository) {}

  /** Leases in the queue, as far as this process knows. */
  get queuedCount(): number {
    return this.queued.size;
  }

  /** Claimed deliveries in progress in this process. */
  get workingCount(): number {
    return this.working.size - this.direct;
  }

  /** Direct leases of deliveries that this process has created. */
  get directCount(): number {
    return this.direct;
  }

  /** Deliveries that this process has finished since it started. */
  get doneCount(): number {
    return this.doneWith;
  }

  /** Number of leases for an endpoint. */
  countOf(tenantId: string, endpointId: string): number {
    return this.counts.get(tenantId)?.get(endpointId) ?? 0;
  }

  /** Number of leases of deliveries that failed before, and of those for slow endpoints. */
  get kinds(): { retries: number; slow: number } {
    let [retries, slow] = [0, 0];
    for (const leases of [this.queued, this.working])
      for (const lease of leases.values()) {
        if (lease.retry) retries++;
        if (lease.slow) slow++;
      }
    return { retries, slow };
  }

  /** Starts renewing leases whose jobs are queued. */
  queue(leases: readonly Lease[]): void {
    const sinceMs = performance.now();
    this.unqueue(leases.map(({ id }) => id)); // one whose lease expired can be leased again
    for (const lease of leases) {
      this.queued.set(lease.id, { ...lease, sinceMs });
      this.count(lease, 1);
    }
  }

  /** Stops renewing leases whose jobs could not be queued. */
  unqueue(ids: readonly string[]): void {
    for (const id of ids) {
      const lease = this.queued.get(id);
      if (lease) this.count(lease, -1);
      this.queued.delete(id);
    }
  }

  /**
   * Handles a delivery from the queue that was leased under `token`. Returns `own` if it is now in progress in this
   * process, `begun` if it already was because its job runs again, or `foreign` if another process has leased it or it
   * is no longer renewed here. It is counted without interruption, because otherwise a claim could exceed the limit of
   * its kind.
   */
  take(id: string, token: string): 'own' | 'begun' | 'foreign' {
    if (this.working.get(id)?.token === token) return 'begun';
    const lease = this.queued.get(id);
    if (lease?.token !== token) return 'foreign';
    this.unqueue([id]);
    this.work(lease);
    return 'own';
  }

  /**
   * If the queue is empty: forgets leases that were queued at least this long ago, because other workers renew them
   * now.
   */
  forgetQueued(ageMs = 0): Lease[] {
    const untilMs = performance.now() - ageMs;
    const leases = [...this.queued.values()].filter(({ sinceMs }) => sinceMs <= untilMs);
    this.unqueue(leases.map(({ id }) => id));
    return leases;
  }

  /** Whether a lease has been in the queue for this long. */
  hasQueued(ageMs: number): boolean {
    const [first] = this.queued.values();
    return first !== undefined && first.sinceMs <= performance.now() - ageMs;
  }

  /** Renews the lease of a delivery in progress, instead of an earlier one. */
  work(lease: Lease): void {
    this.end(lease.id);
    if (lease.direct) this.direct++;
    this.working.set(lease.id, lease);
    this.count(lease, 1);
  }

  /** Stops renewing the lease of a delivery: it is settled, released, or left to expire. */
  done(id: string): void {
    if (this.end(id)) this.doneWith++;
  }

  private end(id: string): boolean {
    const lease = this.working.get(id);
    if (!lease) return false;
    if (lease.direct) this.direct--;
    this.count(lease, -1);
    return this.working.delete(id);
  }

  /** Renews all leases. */
  async renew(): Promise<void> {
    const nowMs = performance.now();
    this.unqueue(
      [...this.queued.values()].filter(({ sinceMs }) => nowMs - sinceMs > QUEUE_PATIENCE_MS).map(({ id }) => id),
    );
    const leases = [...this.queued.values(), ...this.working.values()];
    if (leases.length === 0) return;
    const held = await this.repository.renew(leases);
    const lost = leases.filter(({ id, token }) => !held.has(id) && this.queued.get(id)?.token === token);
    this.unqueue(lost.map(({ id }) => id)); // another worker has them
  }

  private count({ tenantId, endpointId }: Lease, change: 1 | -1): void {
    const endpoints = this.counts.get(tenantId) ?? new Map<string, number>();
    const count = (endpoints.get(endpointId) ?? 0) + change;
    if (count > 0) endpoints.set(endpointId, count);
    else endpoints.delete(endpointId);
    if (endpoints.size > 0) this.counts.set(tenantId, endpoints);
    else this.counts.delete(tenantId);
  }
}
