import { Logger } from '@nestjs/common';
import { OutageProblem } from '#libs/database/failures.js';

/** What one step found: a full load (continue at once), some work, or none. */
export type Work = 'full' | 'some' | 'none';

/** Pauses between two steps, ms. */
export interface LoopPauses {
  /** After a step that found work. */
  busyMs: number;
  /** The longest pause, reached by doubling while steps find nothing. */
  idleMs: number;
}

const FAILURE_PAUSE_MS = 1_000;

/**
 * Repeats a step until it is stopped, more often while there is work. A failing step is logged once, retried every
 * second, and logged again when it succeeds; outages of the database are logged by `Database`. It never ends the
 * process.
 */
export class Loop {
  private readonly logger = new Logger('worker');
  private running: Promise<void> | null = null;
  private stopping = false;
  private woken = false;
  private endPause: () => void = () => undefined;

  constructor(
    private readonly name: string,
    private readonly pauses: LoopPauses,
    private readonly step: () => Promise<Work>,
  ) {}

  /** @param afterMs pause before the first step */
  start(afterMs = 0): void {
    this.running ??= this.run(afterMs);
  }

  /** Runs the next step without a pause. */
  wake(): void {
    this.woken = true;
    this.endPause();
  }

  /** Ends after the current step. */
  async stop(): Promise<void> {
    this.stopping = true;
    this.endPause();
    await this.running;
  }

  private async run(afterMs: number): Promise<void> {
    const { busyMs, idleMs } = this.pauses;
    let pauseMs = busyMs;
    let failing = false;
    if (afterMs > 0 && !this.stopping) await this.pause(afterMs);
    while (!this.stopping) {
      this.woken = false;
      try {
        const work = await this.step();
        if (failing) this.logger.warn(`${this.name} works again`);
        failing = false;
        pauseMs = work === 'full' ? 0 : work === 'some' ? busyMs : Math.min(Math.max(pauseMs, busyMs) * 2, idleMs);
      } catch (error) {
        const isOutage = error instanceof OutageProblem;
        if (!failing && !isOutage)
          this.logger.error(`${this.name} failed and is tried again every second: ${reasonOf(error)}`);
        failing ||= !isOutage;
        this.woken = false;
        pauseMs = FAILURE_PAUSE_MS;
      }
      if (pauseMs > 0 && !this.woken && !this.stopping) await this.pause(pauseMs);
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.split('\n')[0]! : String(error);
}
