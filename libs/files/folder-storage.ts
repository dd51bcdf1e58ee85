import { createReadStream } from 'node:fs';
import { copyFile, link, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { isOutOfRoom } from '#libs/database/failures.js';
import { assertNoOpenTransaction } from '#libs/outbound/transaction-probe.js';
import { type ByteRange, FileStorage, storageProblem } from './file-storage.js';
import { ScratchFolder } from './scratch-folder.js';

/** Stored bytes in a folder, which API and worker processes share. */
export class FolderStorage extends FileStorage {
  private readonly unfinished: ScratchFolder;

  constructor(private readonly folder: string) {
    super();
    this.unfinished = new ScratchFolder(join(folder, 'unfinished'));
  }

  async put(path: string, localFile: string): Promise<void> {
    const target = this.placeOf(path);
    let unfinished: string | null = null;
    try {
      unfinished = await this.unfinished.place();
      await duplicate(localFile, unfinished);
      await flush(unfinished);
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await rename(unfinished, target);
      await flush(dirname(target));
    } catch (error) {
      throw storageProblem(error);
    } finally {
      if (unfinished !== null) await rm(unfinished, { force: true }).catch(() => undefined);
    }
  }

  async read(path: string, range?: ByteRange): Promise<Readable> {
    const place = this.placeOf(path);
    try {
      await stat(place);
    } catch (error) {
      throw storageProblem(error);
    }
    return createReadStream(place, range && { start: range.first, end: range.last });
  }

  async remove(path: string): Promise<void> {
    try {
      await rm(this.placeOf(path), { force: true });
    } catch (error) {
      throw storageProblem(error);
    }
  }

  private placeOf(path: string): string {
    assertNoOpenTransaction();
    return join(this.folder, path);
  }
}

/** Gives a file a second name, or copies it to another file system. */
async function duplicate(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (isOutOfRoom(error)) throw error;
    await copyFile(from, to);
  }
}

/** Waits until a file or folder is on the disk. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
