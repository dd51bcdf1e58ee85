import { pino } from 'pino';
import type { Settings } from '#libs/config/settings.js';
import type { MasterKeys } from '#libs/sealing/master-keys.js';
import { ENTITIES } from '#src/areas/entities.js';
import { createApi } from './app.js';

/** The OpenAPI document as the API serves it, for the committed snapshot. Needs a migrated database. */
export async function buildOpenApi(settings: Settings, masterKeys: MasterKeys, appUrl: string): Promise<object> {
  const options = { settings, masterKeys, databaseUrl: appUrl, name: 'platform-openapi', entities: ENTITIES };
  const { app, document } = await createApi(options, pino({ level: 'silent' }));
  const built = await document();
  await app.close();
  return built;
}
