import { Loop, type Work } from './loop.js';
import type { Background } from './worker-part.js';

/**
 * The first round starts after this time plus a random delay of the same maximum. A new process first does urgent
 * work, and the random delay spreads the rest.
 */
const FIRST_MS = 5_000;

/** A periodic task that runs until the process ends. Repeats at once while there is much to do. */
export abstract class Upkeep implements Background {
  abstract readonly onBehalf: Background['onBehalf'];
  private readonly loop: Loop;
  /** Set when the process ends: long rounds stop early. */
  protected stopping = false;

  protected constructor(name: string, everyMs: number) {
    this.loop = new Loop(name, { busyMs: everyMs, idleMs: everyMs }, () => this.sweep());
  }

  start(): void {
    this.loop.start(FIRST_MS * (1 + Math.random()));
  }

  stop(): Promise<void> {
    this.stopping = true;
    return this.loop.stop();
  }

  /** One round; safe to run in several processes at once. */
  abstract sweep(): Promise<Work>;
}
