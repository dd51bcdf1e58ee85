const STEP_MS = 100;
/** 1,000 a second. */
const PER_STEP = 100;
const MAX_WAITING = 20_000;

/**
 * When refusals are answered: at once, as long as there are no more than 1,000 a second. Those beyond wait for their turn,
 * because a caller who asks again as soon as it is refused would otherwise leave the process no time for the work itself.
 */
export class RefusalTurns {
  private readonly waiting: (() => void)[] = [];
  private left = PER_STEP;
  private timer: NodeJS.Timeout | null = null;

  /** Calls `answer` when it is its turn. */
  take(answer: () => void): void {
    this.timer ??= setInterval(() => this.step(), STEP_MS).unref();
    if (this.left > 0) this.left -= 1;
    else if (this.waiting.length < MAX_WAITING) return void this.waiting.push(answer);
    answer();
  }

  private step(): void {
    this.left = PER_STEP;
    for (const answer of this.waiting.splice(0, PER_STEP)) {
      this.left -= 1;
      answer();
    }
    if (this.left < PER_STEP || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}
