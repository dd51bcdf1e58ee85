/** A server did not respond in time. */
export class SilentServer extends Error {}

interface OwedAnswer {
  askedAtMs: number;
  give(up: SilentServer): void;
}

const LOOK_MS = 20;

/**
 * Distinguishes a server that no longer responds from one that is only busy. While responses keep arriving, later ones
 * are awaited. If none arrives for `silenceMs`, during which this process has checked on time, all are given up. No
 * response is awaited longer than `longestMs`, because in a cluster one server may hang while others respond.
 */
export class AnswerWatch {
  private readonly owed = new Set<OwedAnswer>();
  private quietMs = 0;
  private watching = false;

  constructor(
    private readonly silenceMs: number,
    private readonly longestMs: number,
  ) {}

  /** The response, or {@link SilentServer} if the watch gives up. */
  watch<T>(answer: Promise<T>): Promise<T> {
    if (this.owed.size === 0) this.quietMs = 0;
    return new Promise((resolve, reject) => {
      const mine: OwedAnswer = { askedAtMs: performance.now(), give: reject };
      this.owed.add(mine);
      answer.then(
        (value) => {
          this.settle(mine);
          resolve(value);
        },
        (error: Error) => {
          this.settle(mine);
          reject(error);
        },
      );
      if (!this.watching) this.look();
    });
  }

  private settle(mine: OwedAnswer): void {
    this.owed.delete(mine);
    this.quietMs = 0;
  }

  private look(): void {
    this.watching = true;
    const dueMs = performance.now() + LOOK_MS;
    setTimeout(() => {
      // A due timer runs before received responses are read. The extra turn of the event loop reads them, so that a
      // pause of this process (garbage collection, a long task) is not mistaken for silence.
      setImmediate(() => this.giveUpSilent(performance.now() - dueMs < LOOK_MS));
    }, LOOK_MS).unref();
  }

  /** @param punctual whether this check ran on time; if not, the server may also have lacked CPU time */
  private giveUpSilent(punctual: boolean): void {
    this.watching = false;
    if (punctual) this.quietMs += LOOK_MS;
    const now = performance.now();
    for (const answer of this.owed) {
      if (this.quietMs < this.silenceMs && now - answer.askedAtMs < this.longestMs) break;
      this.owed.delete(answer);
      answer.give(new SilentServer());
    }
    if (this.owed.size > 0) this.look();
  }
}
