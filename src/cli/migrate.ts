import { OperatorError } from '#libs/config/operator-error.js';
import { migrate } from '#src/database/migrate.js';
import { MIGRATIONS } from '#src/database/migrations.js';
import { withDatabase } from '#src/start/database.js';
import type { CommandRun } from './command.js';

/** `migrate` */
export const migrateDatabase: CommandRun = async (_given, context) => {
  const settings = context.settings();
  await withDatabase(settings, (adminUrl) =>
    migrate(adminUrl, settings).catch((error: Error) => {
      throw new OperatorError(`The database cannot be migrated to the newest schema: ${error.message}`, {
        cause: error,
      });
    }),
  );
  const newest = MIGRATIONS.at(-1)!.name;
  return { json: { newest }, text: `The database is at the newest schema (${newest}).` };
};
