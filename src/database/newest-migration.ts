import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Not relative to this file, which is also part of the bundled apps.
const FOLDER = fileURLToPath(new URL('./migrations', import.meta.resolve('#src/database/migrate.js')));

/** Time stamp of the newest migration, from the file names, so that no migration needs to be loaded. */
export function newestMigration(): string {
  const stamps = readdirSync(FOLDER).map((name) => name.split('-')[0]!);
  return stamps.sort().at(-1)!;
}
