import type { Readable } from 'node:stream';
import { Problem } from '#libs/kernel/problem.js';

/** The bytes that a client sends. @throws Problem 400 if it stops before the end. */
export async function* bytesFrom(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk as Buffer; // a request without an encoding
  } catch (error) {
    throw error instanceof Problem ? error : cutOff();
  }
}

/** The 400 for an upload that ended early. */
export function cutOff(): Problem {
  return new Problem('bad_request', 'The upload ended before all of it had arrived.');
}
