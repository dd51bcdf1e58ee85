/** Background work until the end of the process. */
export interface Background {
  /** Starts; does nothing after `stop`. */
  start(): void | Promise<void>;
  /** Takes no more work and waits for what is in progress. */
  stop(): Promise<void>;
}

/**
 * Background work that starts in this order and stops concurrently, so that stopping takes only as long as the slowest
 * part. An area's worker module extends it; Nest would stop one module after the other.
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
