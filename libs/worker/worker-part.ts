import type { OfOrderer, OfPlatform, OfReaders } from './on-behalf.js';

/** Background work that runs until the process ends. */
export interface Background {
  readonly onBehalf: OfOrderer | OfReaders | OfPlatform;
  /** Starts the work; does nothing after `stop`. */
  start(): void | Promise<void>;
  /** Stops taking work and waits for what is in progress. */
  stop(): Promise<void>;
}

/**
 * Background work that starts in the given order and stops concurrently, so that stopping takes only as long as the
 * slowest part. Extended by an area's worker module, because Nest would stop modules one after the other.
 */
export class WorkerPart {
  readonly work: readonly Background[];

  constructor(...work: Background[]) {
    this.work = work;
  }

  async start(): Promise<void> {
    for (const each of this.work) await each.start();
  }

  /** @throws the first failure, after all parts have stopped. */
  async stop(): Promise<void> {
    const outcomes = await Promise.allSettled(this.work.map((each) => each.stop()));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
