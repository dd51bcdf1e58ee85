import { Clock } from '#libs/kernel/clock.js';

/** The real time, shifted by the test or frozen. */
export class MovableClock extends Clock {
  private shiftMs = 0;
  private stoppedAtMs: number | null = null;

  nowMs(): number {
    return (this.stoppedAtMs ?? Date.now()) + this.shiftMs;
  }

  advance(ms: number): void {
    this.shiftMs += ms;
  }

  /** Freezes the clock while `work` runs; only {@link advance} moves it. */
  async standStill<T>(work: () => Promise<T>): Promise<T> {
    this.stoppedAtMs = Date.now();
    try {
      return await work();
    } finally {
      this.stoppedAtMs = null;
    }
  }
}
