import { randomFillSync } from 'node:crypto';

const pool = new Uint8Array(8_192);
let used = pool.length;

/** Random bytes, read from the operating system in large chunks, because the call costs more than the bytes. */
export function fewRandomBytes(count: number): Uint8Array {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.slice(used, (used += count));
}
