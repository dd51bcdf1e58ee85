/**
 * How far ahead a process leases deliveries: as many as it finishes in this time, ms. Several times as long as the
 * relay takes to create more and results to be written, so that a short delay does not leave it idle.
 */
const LEAD_MS = 400;
/** Shortest measuring interval, because results are written in batches. */
const WINDOW_MS = 500;
/** Bounds of the lead, as multiples of the deliveries that are sent at a time. */
const LEAST = 8;
const MOST = 64;

/**
 * How many deliveries a process may have leased. A claim costs little more for many than for few, so a fast process
 * leases many at a time. With slow receivers it leases few, because other workers could send them sooner. So does a new
 * process, because its leases must be taken over by another one if it dies.
 */
export class LeasingLead {
  private current: number;
  private done = 0;
  private sinceMs = performance.now();

  /** @param places deliveries that are sent at a time, at the moment */
  constructor(private readonly places: () => number) {
    this.current = places() * LEAST;
  }

  get size(): number {
    return this.current;
  }

  /**
   * Measures the work since the last measurement, unless that was just now.
   * @param done deliveries that the process has finished in its life
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
