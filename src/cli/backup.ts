import { resolve } from 'node:path';
import type { Manifest, Summary } from '#src/database/backup/backup-file.js';
import { makeBackup } from '#src/database/backup/make-backup.js';
import { restoreBackup } from '#src/database/backup/restore-backup.js';
import { withUnmigratedDatabase } from '#src/start/database.js';
import type { CommandRun, GivenOptions } from './command.js';
import { explained } from './database-failure.js';

/** `backup` */
export const backup: CommandRun = async (given, context) => {
  const file = fileOf(given);
  const { bytes, manifest, rows } = await onDatabase(context.settings(), (url) => makeBackup(url, file));
  return outcome({ file, bytes, ...figures(manifest, rows) }, `${file} contains`);
};

/** `restore` */
export const restore: CommandRun = async (given, context) => {
  const file = fileOf(given);
  const settings = context.settings();
  const { manifest, rows } = await onDatabase(settings, (url) => restoreBackup(url, settings, file));
  return outcome({ file, ...figures(manifest, rows) }, `${file} is restored:`);
};

function fileOf(given: GivenOptions): string {
  return resolve(given['file'] as string);
}

function onDatabase<T>(settings: Parameters<typeof withUnmigratedDatabase>[0], work: (url: string) => Promise<T>) {
  return withUnmigratedDatabase(settings, (url) =>
    work(url).catch((error: unknown) => {
      throw explained(error, url);
    }),
  );
}

function figures({ createdAt, migrations, masterKeyIds }: Manifest, rows: Summary['rows']) {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  return { createdAt, newest: migrations.at(-1)!, masterKeyIds, tables: Object.keys(rows).length, rows: total };
}

function outcome(json: ReturnType<typeof figures> & { file: string; bytes?: number }, what: string) {
  const { rows, tables, createdAt, masterKeyIds } = json;
  const text = `${what} ${rows} rows of ${tables} tables as of ${createdAt}, encrypted with the master key ${masterKeyIds.join(', ')}.`;
  return { json, text };
}
