import { Injectable } from '@nestjs/common';
import { DeliveryRepository } from './delivery.repository.js';
import type { Lease } from './leased-delivery.js';

/** How long a lease is kept alive for a job that nobody has taken from the queue: the job may be lost. */
const QUEUE_PATIENCE_MS = 10_000;

/**
 * The leases that this process answers for: those it has put into the queue, until some worker takes them over, and those
 * of the deliveries it is working on. Keeps them alive with one statement for all.
 */
@Injectable()
export class LeaseKeeper {
  private readonly queued = new Map<string, Lease & { sinceMs: number }>();
  private readonly working = new Map<string, Lease>();

  constructor(private readonly repository: DeliveryRepository) {}

  /** Leases in the queue, as far as this process knows. */
  get queuedCount(): number {
    return this.queued.size;
  }

  /** Leases of deliveries that this process works on. */
  get workingCount(): number {
    return this.working.size;
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

  /** Answers for leases whose jobs are put into the queue. */
  queue(leases: readonly Lease[]): void {
    const sinceMs = performance.now();
    for (const lease of leases) this.queued.set(lease.id, { ...lease, sinceMs });
  }

  /** These are not in the queue after all. */
  unqueue(ids: readonly string[]): void {
    for (const id of ids) this.queued.delete(id);
  }

  /** The queue has brought these to this process. They count without a break, or more of a kind would be claimed than it may have. */
  take(ids: readonly string[]): void {
    for (const id of ids) {
      const lease = this.queued.get(id);
      if (lease && !this.working.has(id)) this.working.set(id, lease);
      this.queued.delete(id);
    }
  }

  /** Lets go of those that were taken and still are under the token that they had in the queue: they were lost meanwhile. */
  drop(ids: readonly string[], token: string): void {
    for (const id of ids) if (this.working.get(id)?.token === token) this.working.delete(id);
  }

  /** Forgets every lease in the queue, for when the queue is empty: other workers answer for them now. */
  forgetQueued(): Lease[] {
    const leases = [...this.queued.values()];
    this.queued.clear();
    return leases;
  }

  work(lease: Lease): void {
    this.working.set(lease.id, lease);
  }

  /** Ends keeping the lease of a delivery: it is settled, given back, or left to run out. */
  done(id: string): void {
    this.working.delete(id);
  }

  /** Renews everything that is kept. */
  async renew(): Promise<void> {
    const nowMs = performance.now();
    for (const [id, { sinceMs }] of this.queued) if (nowMs - sinceMs > QUEUE_PATIENCE_MS) this.queued.delete(id);
    const leases = [...this.queued.values(), ...this.working.values()];
    if (leases.length === 0) return;
    const held = await this.repository.renew(leases);
    for (const { id, token } of leases)
      if (!held.has(id) && this.queued.get(id)?.token === token) this.queued.delete(id); // another worker has it
  }
}
