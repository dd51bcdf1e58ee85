import type { Socket } from 'node:net';

/** The beginning of an interim answer; `d` stands for a digit. */
const BEGINNING = 'HTTP/1.d 1dd';
const SWITCHING = 'HTTP/1.d 101';
const HEAD_END = '\r\n\r\n';

/**
 * Removes interim answers (1xx) from the bytes that a socket delivers before the final answer, because undici takes
 * `100 Continue` for an error. 101 is no interim answer: it ends HTTP. `Source:` RFC 9110 section 15.2.
 */
export class InterimAnswers {
  /** What was read of an answer that may be interim; null once the final one has begun. */
  #held: Buffer | null = Buffer.alloc(0);

  /** @param maxHeadBytes of a head; longer ones are passed on for the parser to refuse. */
  constructor(
    socket: Socket,
    private readonly maxHeadBytes: number,
  ) {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      if (size !== undefined || this.#held === null) return read(size);
      for (;;) {
        const chunk = read() as Buffer | null;
        if (chunk === null) return null;
        const passed = this.#pass(chunk);
        if (passed !== null) return passed;
      }
    };
  }

  /** Expects the next answer. */
  expect(): void {
    this.#held = Buffer.alloc(0);
  }

  /** What the parser may have of the bytes; null for nothing yet. */
  #pass(chunk: Buffer): Buffer | null {
    let held = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    while (this.#held !== null && isInterim(held)) {
      const end = held.indexOf(HEAD_END);
      if (end === -1 && held.length <= this.maxHeadBytes) {
        this.#held = held;
        return null;
      }
      if (end === -1) break;
      held = held.subarray(end + HEAD_END.length);
    }
    this.#held = null;
    return held;
  }
}

/** Whether bytes begin an interim answer, or may do so once more has arrived. */
function isInterim(bytes: Buffer): boolean {
  return fits(bytes, BEGINNING) && !(bytes.length >= SWITCHING.length && fits(bytes, SWITCHING));
}

function fits(bytes: Buffer, pattern: string): boolean {
  const text = bytes.toString('latin1', 0, pattern.length);
  return [...text].every((each, at) => (pattern[at] === 'd' ? /\d/.test(each) : each === pattern[at]));
}
