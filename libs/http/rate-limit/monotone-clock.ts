import type { Clock } from '#libs/kernel/clock.js';

/**
 * The application's clock, except that it never goes back. If the clock is set back, time continues from the latest
 * time seen at the pace of the machine's monotonic clock, until the clock has caught up.
 *
 * A clock set back by an hour therefore neither releases slots of a rate limit early nor blocks them for an hour.
 */
export class MonotoneClock {
  private latestMs = -Infinity;
  /** Monotonic time that corresponds to {@link latestMs}; only set while the clock is behind. */
  private anchorMs: number | null = null;

  /** @param monotonicMs milliseconds since an arbitrary fixed time, never decreasing */
  constructor(
    private readonly clock: Clock,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /** Milliseconds since the Unix epoch; never decreases. */
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
