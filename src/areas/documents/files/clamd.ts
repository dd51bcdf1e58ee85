import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ClamdPlace } from '#libs/config/file-settings.js';
import { cut } from '#libs/kernel/cut.js';
import { assertNoOpenTransaction } from '#libs/outbound/transaction-probe.js';

const IDLE_MS = 60_000;
const MAX_ANSWER = 4_096;

/** What a scan has found: null for nothing. */
export interface ScanResult {
  found: string | null;
}

/**
 * Has clamd scan some bytes, by its command INSTREAM.
 * @throws Error if it cannot be reached or does not scan all of them.
 */
export async function scan(place: ClamdPlace, bytes: Readable): Promise<ScanResult> {
  assertNoOpenTransaction();
  const socket = connect(place);
  socket.setTimeout(IDLE_MS, () => socket.destroy(new Error('clamd did not answer in time.')));
  const answer = answerOf(socket);
  answer.catch(() => undefined); // awaited below
  try {
    await write(socket, Buffer.from('zINSTREAM\0'));
    for await (const chunk of bytes) {
      const size = Buffer.alloc(4);
      size.writeUInt32BE((chunk as Buffer).length);
      await Promise.race([write(socket, Buffer.concat([size, chunk as Buffer])), answer]);
    }
    await write(socket, Buffer.alloc(4));
    return resultOf(await answer);
  } finally {
    bytes.destroy();
    socket.destroy();
  }
}

function write(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => socket.write(bytes, (error) => (error ? reject(error) : resolve())));
}

function answerOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\0') || text.length > MAX_ANSWER) resolve(text.split('\0')[0]!);
    });
    socket.on('error', reject).on('close', () => reject(new Error('clamd closed the connection.')));
  });
}

/** @throws Error for an error of clamd, such as a file above its own limit. */
function resultOf(answer: string): ScanResult {
  if (/^stream: OK$/.test(answer)) return { found: null };
  const [, found] = /^stream: (.+) FOUND$/.exec(answer) ?? [];
  if (found === undefined) throw new Error(`clamd answered: ${cut(answer, 200)}`);
  return { found };
}
