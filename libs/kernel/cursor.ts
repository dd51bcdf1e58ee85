import { createCipheriv, createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { Problem } from './problem.js';

const MAC_BYTES = 16;

/** The end of a page: the values of the last row's sort columns, in order, with the id last. */
export type Position = (string | number | boolean | null)[];

/**
 * Cursors that cannot be read, forged or reused elsewhere. The position is authenticated together with tenant,
 * operation, sort and filters, so a cursor is valid for exactly one list. The authentication tag is also the IV of the
 * cipher, as in SIV modes.
 */
export class Cursors {
  private readonly keys: [KeyObject, ...KeyObject[]];

  /** The first key writes, all of them read. Keys are 32 bytes. */
  constructor(...[current, ...previous]: [Buffer, ...Buffer[]]) {
    this.keys = [createSecretKey(current), ...previous.map((key) => createSecretKey(key))];
  }

  /** The opaque text for a position. `purpose` is any text that identifies tenant, operation, sort and filters. */
  write(position: Position, purpose: string): string {
    const content = Buffer.from(JSON.stringify(position));
    const [key] = this.keys;
    const mac = macOf(key, content, purpose);
    return Buffer.concat([mac, encrypt(key, content, mac)]).toString('base64url');
  }

  /** @throws Problem 400 `cursor_invalid` if the text was not written here for this purpose. */
  read(text: string, purpose: string): Position {
    const bytes = Buffer.from(text, 'base64url');
    const mac = bytes.subarray(0, MAC_BYTES);
    const whole = bytes.length > MAC_BYTES && bytes.toString('base64url') === text;
    for (const key of whole ? this.keys : []) {
      const content = encrypt(key, bytes.subarray(MAC_BYTES), mac);
      if (timingSafeEqual(mac, macOf(key, content, purpose))) return JSON.parse(content.toString()) as Position;
    }
    throw new Problem('cursor_invalid', 'The cursor was not issued for this list with these filters and this sort.');
  }
}

function macOf(key: KeyObject, content: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(purpose).update('\0').update(content).digest().subarray(0, MAC_BYTES);
}

/** Encrypts the content, so that clients cannot depend on it. Decrypts too. */
function encrypt(key: KeyObject, content: Buffer, iv: Buffer): Buffer {
  return createCipheriv('aes-256-ctr', key, iv).update(content);
}
