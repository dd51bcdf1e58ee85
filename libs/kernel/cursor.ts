import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Problem } from './problem.js';

const MAC_BYTES = 16;

/** Where a page ended: the values of the sort columns of its last row, in order, the id last. */
export type Position = (string | number | boolean | null)[];

/**
 * Cursors that cannot be read, forged or carried over: the position is authenticated together with what the cursor is
 * for (tenant, operation, sort and filters), so it is good for exactly one list.
 */
export class Cursors {
  constructor(private readonly key: Buffer) {}

  /** The opaque text for a position. `purpose` is any text that names tenant, operation, sort and filters. */
  write(position: Position, purpose: string): string {
    const content = Buffer.from(JSON.stringify(position));
    return Buffer.concat([this.mac(content, purpose), this.mask(content, purpose)]).toString('base64url');
  }

  /** @throws Problem 400 `cursor_invalid` when the text was not written here for this purpose. */
  read(text: string, purpose: string): Position {
    const bytes = Buffer.from(text, 'base64url');
    const content = this.mask(bytes.subarray(MAC_BYTES), purpose);
    const genuine =
      bytes.length > MAC_BYTES &&
      bytes.toString('base64url') === text &&
      timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.mac(content, purpose));
    if (!genuine)
      throw new Problem('cursor_invalid', 'The cursor was not issued for this list with these filters and this sort.');
    return JSON.parse(content.toString()) as Position;
  }

  private mac(content: Buffer, purpose: string): Buffer {
    return createHmac('sha256', this.key).update(purpose).update('\0').update(content).digest().subarray(0, MAC_BYTES);
  }

  /** Makes the content unreadable, so that nobody builds on what is inside. Secrecy is not needed: it is the caller's row. */
  private mask(content: Buffer, purpose: string): Buffer {
    const masked = Buffer.from(content);
    for (let block = 0; block * 32 < masked.length; block++) {
      const pad = createHash('sha256').update(this.key).update(purpose).update(String(block)).digest();
      for (let i = 0; i < 32 && block * 32 + i < masked.length; i++) masked[block * 32 + i]! ^= pad[i]!;
    }
    return masked;
  }
}
