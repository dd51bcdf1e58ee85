/**
 * How far ahead a process leases deliveries: the number that it finishes in this time, ms. It is several times as long
 * as the relay needs to create more and the results need to be written, so a short delay does not leave the process
 * idle.
 */
const LEAD_MS = 400;
/** Minimum measuring interval, because results are written in batches. */
const WINDOW_MS = 500;
/** Bounds of the lead, as multiples of the concurrent deliveries. */
const LEAST = 8;
const MOST = 64;

/**
 * How many deliveries a process may have leased. A claim costs little more for many than for few, so a fast process
 * leases many at a time. With slow receivers it leases few, because other workers could send them sooner. So does a new
 * process, because another one must take over its leases if it dies.
 */
export class LeasingLead {
  private current: number;
  private done = 0;
  private sinceMs = performance.now();

  /** @param places current number of concurrent deliveries */
  constructor(private readonly places: () => number) {
    this.current = places() * LEAST;
  }

  get size(): number {
    return this.current;
  }

  /**
   * Measures the work since the last measurement, unless that was very recent.
   * @param done deliveries that the process has finished since it started
   */
  measure(done: number): void {
    const nowMs = performance.now();
    if (nowMs - this.sinceMs < WINDOW_MS) return;
    const perMs = (done - this.done) / (nowMs - this.sinceMs);
    const places = this.places();
    this.current = Math.round(Math.min(Math.max(perMs * LEAD_MS, places * LEAST), places * MOST));
    this.done = done;
    this.sinceMs = nowMs;
  }
}
