import type { Readable } from 'node:stream';
import { isOutOfRoom } from '#libs/database/failures.js';
import { Problem } from '#libs/kernel/problem.js';

/** A part of some bytes: both offsets are included, and count from 0. */
export interface ByteRange {
  first: number;
  last: number;
}

/**
 * Where stored bytes are kept. A path is `<tenant id>/<sha256 of the stored bytes, hex>`, so whatever is at a path never
 * changes, and putting it again is harmless. No method may be called while a transaction is open.
 */
export abstract class FileStorage {
  /**
   * Stores a local file, which stays; complete once it returns, and otherwise not there.
   * @throws Problem 503 `unavailable` if the store is full or cannot be reached.
   */
  abstract put(path: string, localFile: string): Promise<void>;

  /**
   * The bytes at a path, or a range that lies within them. The stream fails if the store does.
   * @throws Problem 503 `unavailable` if the store cannot be reached or does not have them.
   */
  abstract read(path: string, range?: ByteRange): Promise<Readable>;

  /** Removes what is at a path, if anything. @throws Problem 503 `unavailable` if the store cannot be reached. */
  abstract remove(path: string): Promise<void>;
}

/** The 503 for a store that fails; nothing was changed. */
export function storageProblem(cause: unknown): Problem {
  return isOutOfRoom(cause)
    ? new Problem('unavailable', 'There is no room for files right now; try again later.', {
        headers: { 'retry-after': '30' },
        cause,
      })
    : new Problem('unavailable', 'The store of files did not answer; try again.', {
        headers: { 'retry-after': '5' },
        cause,
      });
}
