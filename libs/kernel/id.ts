import { fewRandomBytes } from './random.js';

/** The nil UUID, which no row has. `Source:` RFC 9562 section 5.9. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
let lastMs = 0;
let counter = 0;

/**
 * A new UUIDv7 in lower case: 48 bits of milliseconds, a 12-bit counter that orders ids created by one process in the
 * same millisecond, and 62 random bits. `Source:` RFC 9562 section 5.7 and 6.2 (method 1).
 */
export function uuidv7(): string {
  const nowMs = Date.now();
  const random = fewRandomBytes(10);
  if (nowMs > lastMs) {
    lastMs = nowMs;
    counter = ((random[8]! << 8) | random[9]!) & 0x3ff;
  } else if (++counter > 0xfff) {
    lastMs += 1;
    counter = 0;
  }
  const ms = lastMs;
  return (
    HEX[Math.floor(ms / 0x10000000000) & 0xff]! +
    HEX[Math.floor(ms / 0x100000000) & 0xff]! +
    HEX[(ms >>> 24) & 0xff]! +
    HEX[(ms >>> 16) & 0xff]! +
    '-' +
    HEX[(ms >>> 8) & 0xff]! +
    HEX[ms & 0xff]! +
    '-' +
    HEX[0x70 | (counter >> 8)]! +
    HEX[counter & 0xff]! +
    '-' +
    HEX[0x80 | (random[0]! & 0x3f)]! +
    HEX[random[1]!]! +
    '-' +
    HEX[random[2]!]! +
    HEX[random[3]!]! +
    HEX[random[4]!]! +
    HEX[random[5]!]! +
    HEX[random[6]!]! +
    HEX[random[7]!]!
  );
}

/** When a UUIDv7 was created, in ms since the Unix epoch. */
export function timeOf(id: string): number {
  return parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Whether the text is a UUID in the platform's lower-case form. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && UUID.test(text);
}
