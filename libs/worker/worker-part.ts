/** Something that goes on in the background until the end of the process. */
export interface Background {
  /** Begins; does nothing once it was told to stop. */
  start(): void | Promise<void>;
  /** Takes nothing more and waits for what is under way. */
  stop(): Promise<void>;
}

/**
 * Background work that begins in this order and stops at the same time, so that the stop takes as long as the longest. An
 * area's worker module extends it with what the area does; Nest would stop module after module.
 */
export class WorkerPart implements Background {
  private readonly work: readonly Background[];

  constructor(...work: Background[]) {
    this.work = work;
  }

  async start(): Promise<void> {
    for (const each of this.work) await each.start();
  }

  /** @throws the first failure, when all have stopped. */
  async stop(): Promise<void> {
    const outcomes = await Promise.allSettled(this.work.map((each) => each.stop()));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }
}
