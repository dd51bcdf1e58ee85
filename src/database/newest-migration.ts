import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Not from where this runs: it is a part of the bundled apps too.
const FOLDER = join(dirname(createRequire(import.meta.url).resolve('#src/database/migrate.js')), 'migrations');

/** Time stamp of the newest migration, from the names of the files: to know it, none of them needs to be loaded. */
export function newestMigration(): string {
  const stamps = readdirSync(FOLDER).map((name) => name.split('-')[0]!);
  return stamps.sort().at(-1)!;
}
