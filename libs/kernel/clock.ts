/** The time as the application sees it. Injected, so that a test can set it instead of waiting. */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract nowMs(): number;

  now(): Date {
    return new Date(this.nowMs());
  }
}

export class SystemClock extends Clock {
  nowMs(): number {
    return Date.now();
  }
}
