import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** Creates a folder that is removed after the tests of the file; call `removeFolders` in `afterAll`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'platform-start-'));
  folders.push(folder);
  return folder;
}

/** Removes all created folders. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}
