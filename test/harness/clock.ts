import { Clock } from '#libs/kernel/clock.js';

/** The real time, shifted by as much as the test says. */
export class MovableClock extends Clock {
  private shiftMs = 0;

  nowMs(): number {
    return Date.now() + this.shiftMs;
  }

  advance(ms: number): void {
    this.shiftMs += ms;
  }
}
