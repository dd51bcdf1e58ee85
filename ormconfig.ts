import { readSettings } from '#libs/config/settings.js';
import { migrationSource } from '#src/database/migrate.js';
import { installationRoles } from '#src/database/urls.js';

const settings = readSettings();
const url = settings.DATABASE_URL ?? 'postgres://localhost/platform';

/** For the TypeORM CLI (`npx typeorm migration:show -d dist/ormconfig.js`). The platform itself migrates with its own CLI. */
export default migrationSource(url, installationRoles(settings, url));
