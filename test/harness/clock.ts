import { Clock } from '#libs/kernel/clock.js';

/** The real time, shifted by as much as the test says, or standing still. */
export class MovableClock extends Clock {
  private shiftMs = 0;
  private stoppedAtMs: number | null = null;

  nowMs(): number {
    return (this.stoppedAtMs ?? Date.now()) + this.shiftMs;
  }

  advance(ms: number): void {
    this.shiftMs += ms;
  }

  /** From now on only {@link advance} moves it, for as long as `work` takes. */
  async standStill<T>(work: () => Promise<T>): Promise<T> {
    this.stoppedAtMs = Date.now();
    try {
      return await work();
    } finally {
      this.stoppedAtMs = null;
    }
  }
}
