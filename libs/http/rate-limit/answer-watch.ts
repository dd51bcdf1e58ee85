/** A server owed an answer and did not give it in time. */
export class SilentServer extends Error {}

interface OwedAnswer {
  askedAtMs: number;
  give(up: SilentServer): void;
}

const LOOK_MS = 20;

/**
 * Tells a server that has fallen silent from one that is merely busy, or busy with others on the same machine: while
 * answers keep coming, those behind them in line are waited for; only when this process has looked for `silenceMs`, each
 * time punctually, and none has come are all given up. No single one is waited for longer than `longestMs` (in a cluster
 * one server may be silent while others answer).
 */
export class AnswerWatch {
  private readonly owed = new Set<OwedAnswer>();
  private quietMs = 0;
  private watching = false;

  constructor(
    private readonly silenceMs: number,
    private readonly longestMs: number,
  ) {}

  /** The answer, or {@link SilentServer} when it is given up. */
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
      // A timer that is due runs before answers that have arrived are read. The extra turn of the loop reads them, so
      // that a pause of this process (garbage collection, a long task) is not taken for silence.
      setImmediate(() => this.giveUpSilent(performance.now() - dueMs < LOOK_MS));
    }, LOOK_MS).unref();
  }

  /** @param punctual whether the processor was free for this look; if not, it was not free for the server either */
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
