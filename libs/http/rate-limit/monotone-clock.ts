import type { Clock } from '#libs/kernel/clock.js';

/**
 * The application's clock without its steps back: when it is set back, time goes on from the latest instant seen at the
 * pace of the machine's monotonic clock, until the clock has caught up.
 *
 * So a clock set back by an hour neither frees places of a rate limit early nor blocks them for an hour.
 */
export class MonotoneClock {
  private latestMs = -Infinity;
  /** Monotonic instant that {@link latestMs} belongs to; only kept while the clock is behind. */
  private anchorMs: number | null = null;

  /** @param monotonicMs milliseconds since any fixed instant, never decreasing */
  constructor(
    private readonly clock: Clock,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /** Milliseconds since the Unix epoch, never less than the last time. */
  nowMs(): number {
    const now = this.clock.nowMs();
    if (now >= this.latestMs) {
      this.latestMs = now;
      this.anchorMs = null;
      return now;
    }
    const monotonic = this.monotonicMs();
    if (this.anchorMs !== null) this.latestMs += monotonic - this.anchorMs;
    this.anchorMs = monotonic;
    return this.latestMs;
  }
}
