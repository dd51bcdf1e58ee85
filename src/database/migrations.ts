import { readdirSync } from 'node:fs';
import type { MigrationInterface } from 'typeorm';

export type Migration = new () => MigrationInterface;

const FOLDER = new URL('./migrations/', import.meta.url);
const SOURCE = /^\d{13}-[a-z-]+\.(js|ts)$/;
const CLASS = /\d{13}$/;

/** All migrations in order of the time stamp at the end of their names: the classes in the folder that end in one. */
export const MIGRATIONS: Migration[] = (await Promise.all(readdirSync(FOLDER).filter(isSource).map(migrationsIn)))
  .flat()
  .sort((a, b) => stampOf(a) - stampOf(b));

function isSource(file: string): boolean {
  return SOURCE.test(file);
}

/** A file without a migration holds steps of another one. */
async function migrationsIn(file: string): Promise<Migration[]> {
  const exported = Object.entries((await import(new URL(file, FOLDER).href)) as Record<string, unknown>);
  return exported.filter(([name]) => CLASS.test(name)).map(([, migration]) => migration as Migration);
}

function stampOf({ name }: Migration): number {
  return Number(name.slice(-13));
}
