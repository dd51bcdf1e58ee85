import type { Socket } from 'node:net';

const STEP_MS = 100;
/** 1,000 per second. */
const PER_STEP = 100;

/**
 * Schedules refusals: immediately, up to 1,000 per second. Further ones wait, because clients that retry as soon as
 * they are refused would otherwise leave the process no time for real work.
 *
 * At most one refusal waits per connection, so the number of connections bounds them. A client that sends more without
 * waiting for the response is disconnected.
 */
export class RefusalTurns {
  private readonly waiting = new Map<Socket, () => void>(); // in the order in which they came
  private left = PER_STEP;
  private timer: NodeJS.Timeout | null = null;

  /** Calls `answer` when the request on `socket` is next; never after its connection is closed. */
  take(socket: Socket, answer: () => void): void {
    if (socket.destroyed) return; // data already received is still read
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
