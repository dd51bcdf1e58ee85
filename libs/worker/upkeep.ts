import { Loop, type Work } from './loop.js';
import type { Background } from './worker-part.js';

/**
 * First round after this and up to as much again: a process that has just started does what somebody waits for first, and
 * not everything else at once after that.
 */
const FIRST_MS = 5_000;

/** Something that is put in order at fixed times until the end of the process, and at once again while much is to do. */
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
