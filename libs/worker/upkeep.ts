import { Loop, type Work } from './loop.js';
import type { Background } from './worker-part.js';

/**
 * The first round starts after this time plus a random delay of up to as much again: a new process does urgent work
 * first, and spreads the rest.
 */
const FIRST_MS = 5_000;

/** A periodic task until the end of the process; repeats at once while there is much to do. */
export abstract class Upkeep implements Background {
  private readonly loop: Loop;

  protected constructor(name: string, everyMs: number) {
    this.loop = new Loop(name, { busyMs: everyMs, idleMs: everyMs }, () => this.sweep());
  }

  start(): void {
    this.loop.start(FIRST_MS * (1 + Math.random()));
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** One round; safe in several processes at once. */
  abstract sweep(): Promise<Work>;
}
