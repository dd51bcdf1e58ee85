import type { Socket } from 'node:net';

const STEP_MS = 100;
/** 1,000 a second. */
const PER_STEP = 100;

/**
 * When refusals are answered: at once, as long as there are no more than 1,000 a second. Those beyond wait for their turn,
 * because a caller who asks again as soon as it is refused would otherwise leave the process no time for the work itself.
 *
 * One waits for each connection, so that connections bound how many do: a client that sends more without waiting for the
 * answer is cut.
 */
export class RefusalTurns {
  private readonly waiting = new Map<Socket, () => void>(); // in the order in which they came
  private left = PER_STEP;
  private timer: NodeJS.Timeout | null = null;

  /** Calls `answer` when it is the turn of what came over `socket`; never, once its connection is closed. */
  take(socket: Socket, answer: () => void): void {
    if (socket.destroyed) return; // what its client had sent by then is still read
    if (this.waiting.delete(socket)) return void socket.destroy();
    this.timer ??= setInterval(() => this.step(), STEP_MS).unref();
    if (this.left === 0) return void this.waiting.set(socket, answer);
    this.left -= 1;
    answer();
  }

  private step(): void {
    this.left = PER_STEP;
    for (const socket of this.waiting.keys()) if (socket.destroyed) this.waiting.delete(socket);
    for (const [socket, answer] of this.waiting) {
      if (this.left === 0) return;
      this.waiting.delete(socket);
      this.left -= 1;
      answer();
    }
    if (this.left < PER_STEP || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}
