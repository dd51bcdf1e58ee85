import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from './delivery.repository.js';
import type { Lease } from './leased-delivery.js';

/** How long a lease is renewed for a job that nobody has taken from the queue: the job may be lost. */
const QUEUE_PATIENCE_MS = 10_000;

/**
 * The leases that this process must renew: those it has put into the queue, until some worker takes them over, and
 * those of the deliveries it is working on. Renews all with one statement.
 */
@Injectable()
export class LeaseKeeper {
  private readonly queued = new Map<string, Lease & { sinceMs: number }>();
  private readonly working = new Map<string, Lease>();
  /** How many leases are kept, by tenant and endpoint. */
  private readonly counts = new Map<string, Map<string, number>>();
  private doneWith = 0;
  private direct = 0;

  constructor(private readonly repository: DeliveryRepository) {}

  /** Leases in the queue, as far as this process knows. */
  get queuedCount(): number {
    return this.queued.size;
  }

  /** Leases by a claim of deliveries that this process works on. */
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

  /** Leases kept for an endpoint. */
  countOf(tenantId: string, endpointId: string): number {
    return this.counts.get(tenantId)?.get(endpointId) ?? 0;
  }

  /** Of all leases kept, how many are of deliveries that failed before, and how many go to slow endpoints. */
  get kinds(): { retries: number; slow: number } {
    let [retries, slow] = [0, 0];
    for (const leases of [this.queued, this.working])
      for (const lease of leases.values()) {
        if (lease.retry) retries++;
        if (lease.slow) slow++;
      }
    return { retries, slow };
  }

  /** Keeps leases whose jobs are put into the queue. */
  queue(leases: readonly Lease[]): void {
    const sinceMs = performance.now();
    this.unqueue(leases.map(({ id }) => id)); // one whose lease expired can be leased again
    for (const lease of leases) {
      this.queued.set(lease.id, { ...lease, sinceMs });
      this.count(lease, 1);
    }
  }

  /** These jobs could not be put into the queue. */
  unqueue(ids: readonly string[]): void {
    for (const id of ids) {
      const lease = this.queued.get(id);
      if (lease) this.count(lease, -1);
      this.queued.delete(id);
    }
  }

  /**
   * The queue has brought one that was leased under `token`: whether it is `own`, from now on one that this process works
   * on, has `begun` already, because its job is run again, or is `foreign`, leased by another process or kept no more.
   * It counts without a break, or more of a kind would be claimed than it may have.
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
   * If the queue is empty: forgets the leases that were queued this long ago or longer, because other workers keep them
   * now.
   */
  forgetQueued(ageMs = 0): Lease[] {
    const untilMs = performance.now() - ageMs;
    const leases = [...this.queued.values()].filter(({ sinceMs }) => sinceMs <= untilMs);
    this.unqueue(leases.map(({ id }) => id));
    return leases;
  }

  /** Whether some lease has been in the queue for so long. */
  hasQueued(ageMs: number): boolean {
    const [first] = this.queued.values();
    return first !== undefined && first.sinceMs <= performance.now() - ageMs;
  }

  /** Keeps the lease of a delivery that this process works on, instead of an earlier one. */
  work(lease: Lease): void {
    this.end(lease.id);
    if (lease.direct) this.direct++;
    this.working.set(lease.id, lease);
    this.count(lease, 1);
  }

  /** Stops keeping the lease of a delivery: it is settled, released, or left to expire. */
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

  /** Renews everything that is kept. */
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
