import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Time stamp of the newest migration, from the names of the files: to know it, none of them needs to be loaded. */
export function newestMigration(): string {
  const stamps = readdirSync(join(import.meta.dirname, 'migrations')).map((name) => name.split('-')[0]!);
  return stamps.sort().at(-1)!;
}
