import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Problem } from '#libs/kernel/problem.js';
import { storageProblem } from './file-storage.js';
import type { ScratchFolder } from './scratch-folder.js';
import { sniffedType } from './sniffed-type.js';

/** Bytes that have arrived in a local file, which whoever has them removes. */
export interface Received {
  /** The local file. */
  path: string;
  sizeBytes: number;
  /** Of the bytes, hex. */
  sha256: string;
  /** Media type by the bytes alone. */
  mimeType: string;
}

/** Receives bytes into local files, so that they are complete before anything is said about them. */
export class Receiving {
  constructor(private readonly folder: ScratchFolder) {}

  /**
   * Receives bytes up to their end.
   * @throws Problem 413 `payload_too_large` as soon as there are more than `maxBytes`; 503 if the disk is full; and what
   * the source throws. Nothing is left behind then.
   */
  async receive(source: AsyncIterable<Buffer>, { maxBytes }: { maxBytes: number }): Promise<Received> {
    const path = await this.place();
    const hash = createHash('sha256');
    const state: { sizeBytes: number; failure?: Error } = { sizeBytes: 0 };
    async function* counted(): AsyncGenerator<Buffer> {
      try {
        for await (const chunk of source) {
          state.sizeBytes += chunk.length;
          if (state.sizeBytes > maxBytes) throw tooLarge(maxBytes);
          hash.update(chunk);
          yield chunk;
        }
      } catch (error) {
        state.failure = error as Error; // streams fail with errors
        throw error;
      }
    }
    try {
      await pipeline(counted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      return { path, sizeBytes: state.sizeBytes, sha256: hash.digest('hex'), mimeType: await sniffedType(path) };
    } catch (error) {
      await rm(path, { force: true });
      throw state.failure ?? storageProblem(error);
    }
  }

  /** Path for a new local file. @throws Problem 503 */
  place(): Promise<string> {
    return this.folder.place().catch((error: unknown) => {
      throw storageProblem(error);
    });
  }
}

/** The 413 for a file. */
export function tooLarge(maxBytes: number): Problem {
  return new Problem('payload_too_large', `A file may have at most ${maxBytes} bytes.`);
}
