/**
 * How far ahead a process leases deliveries: as many as it gets done in this time, ms. Several times as long as the relay takes to
 * make more and results to be written, which they are leased for as well: what is slow for a moment is not to leave it idle.
 */
const LEAD_MS = 400;
/** Shortest time to measure that in: results are written many at a time. */
const WINDOW_MS = 500;
/** Bounds of the lead, as multiples of the deliveries that are sent at a time. */
const LEAST = 8;
const MOST = 64;

/**
 * How many deliveries a process may have leased. A claim costs little more for many than for few, so one that gets much done
 * leases much at a time; behind slow receivers it leases few, which other workers could send sooner. So does one that has just
 * started: what it dies with has to be taken over, and sent through the queue, by the next one.
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

  /** Measures what was done since it did so last, unless that was just now. @param done deliveries that the process has been done with in its life */
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
