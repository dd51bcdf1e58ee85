import type { OnModuleDestroy } from '@nestjs/common';
import { Loop, type Work } from '#libs/webhooks/loop.js';

/** Something that is put in order at fixed times until the end of the process, and at once again while much is to do. */
export abstract class Upkeep implements OnModuleDestroy {
  private readonly loop: Loop;

  protected constructor(name: string, everyMs: number) {
    this.loop = new Loop(name, { busyMs: everyMs, idleMs: everyMs }, () => this.sweep());
  }

  start(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  /** One round; safe in several processes at once. */
  abstract sweep(): Promise<Work>;
}
