import { Agent, request } from 'node:http';
import { within } from '#libs/queue/within.js';

/** A request of one tenant. */
export interface Shot {
  method: string;
  path: string;
  body?: object;
  headers?: Record<string, string>;
}

/** The response. */
export interface Hit {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Longer than the statement timeout of PostgreSQL. */
const PATIENCE_MS = 20_000;

/** Reproducible random numbers. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Sends requests over persistent connections, with the concurrency of the callers. */
export class Traffic {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(private readonly url: string) {}

  /**
   * Null when the request was aborted, `cutAfterTurns` turns of the event loop after it was sent.
   * @throws Error when there is neither a response nor a closed connection within 20 s.
   */
  async send(apiKey: string, shot: Shot, cutAfterTurns: number | null = null): Promise<Hit | null> {
    const answer = this.exchange(apiKey, shot, cutAfterTurns);
    if (await within(PATIENCE_MS, answer)) return answer;
    const cut = cutAfterTurns === null ? '' : `, to be cut after ${cutAfterTurns} turns,`;
    throw new Error(`${shot.method} ${shot.path}${cut} had no response within ${PATIENCE_MS / 1_000} s`);
  }

  private exchange(apiKey: string, shot: Shot, cutAfterTurns: number | null): Promise<Hit | null> {
    return new Promise((resolve, reject) => {
      const body = shot.body === undefined ? null : JSON.stringify(shot.body);
      const outgoing = request(
        this.url + shot.path,
        {
          method: shot.method,
          agent: this.agent,
          headers: {
            'x-api-key': apiKey,
            ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
            ...shot.headers,
          },
        },
        (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () =>
            resolve({ status: answer.statusCode!, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
          );
          answer.on('error', (error) => (cutAfterTurns === null ? reject(error) : resolve(null)));
        },
      );
      outgoing.on('error', (error) => (cutAfterTurns === null ? reject(error) : resolve(null)));
      outgoing.end(body ?? undefined);
      if (cutAfterTurns !== null) afterTurns(cutAfterTurns, () => outgoing.destroy());
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

function afterTurns(turns: number, action: () => void): void {
  if (turns === 0) action();
  else setImmediate(() => afterTurns(turns - 1, action));
}
