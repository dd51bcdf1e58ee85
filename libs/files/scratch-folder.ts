import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HOUR_MS } from '#libs/kernel/durations.js';

/** What still grows is younger than this. */
const ABANDONED_MS = HOUR_MS;

/** A folder for files that are not complete yet. Removes, now and then, what killed processes have left in it. */
export class ScratchFolder {
  private tidiedMs = 0;

  constructor(private readonly folder: string) {}

  /** A path in the folder that nobody else has. */
  async place(): Promise<string> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    if (Date.now() - this.tidiedMs > ABANDONED_MS) await this.tidy();
    return join(this.folder, randomUUID());
  }

  private async tidy(): Promise<void> {
    this.tidiedMs = Date.now();
    const paths = (await readdir(this.folder)).map((name) => join(this.folder, name));
    for (const path of paths) {
      const found = await stat(path).catch(() => null);
      if (found && found.mtimeMs < this.tidiedMs - ABANDONED_MS) await rm(path, { force: true });
    }
  }
}
