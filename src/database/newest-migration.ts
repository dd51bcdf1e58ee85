import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Not from where this runs: it is a part of the bundled apps too.
const FOLDER = fileURLToPath(new URL('./migrations', import.meta.resolve('#src/database/migrate.js')));

/** Time stamp of the newest migration, from the names of the files: to know it, none of them needs to be loaded. */
export function newestMigration(): string {
  const stamps = readdirSync(FOLDER).map((name) => name.split('-')[0]!);
  return stamps.sort().at(-1)!;
}
