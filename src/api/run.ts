import 'reflect-metadata';
import { readSettings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { assertPowerless } from '#libs/database/powerless.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { loadMasterKeys } from '#libs/sealing/master-key-files.js';
import { assertMasterKeys } from '#libs/sealing/master-key-rotation.js';
import { ENTITIES } from '#src/areas/entities.js';
import { connectionUrls } from '#src/database/urls.js';
import { createLogger } from '#src/platform/logger.js';
import { announceReady, fail, onStop } from '#src/platform/process.js';
import { startTelemetry } from '#src/platform/telemetry.js';
import { createApi } from './app.js';
import { ApiHealth } from './health.js';

/** Length of the accept queue for bursts of connections; limited by `somaxconn`. */
const BACKLOG = 4_096;

/** Runs one API process until it is told to stop. */
async function main(): Promise<void> {
  const settings = readSettings();
  const masterKeys = loadMasterKeys(settings);
  const { appUrl } = connectionUrls(settings, settings.DATABASE_URL);
  const options = { settings, masterKeys, databaseUrl: appUrl, name: 'platform-api', entities: ENTITIES };
  const logger = createLogger(options);
  if (settings.NODE_ENV === 'production' && (settings.DATABASE_SYSTEM_URL ?? settings.DATABASE_URL) !== null)
    logger.warn(
      'The API needs only DATABASE_APP_URL: remove DATABASE_SYSTEM_URL and DATABASE_URL from its environment',
    );
  const telemetry = await startTelemetry({ settings, service: 'api', logger });
  const { app } = await createApi(options, logger);
  await assertPowerless(app.get(Database));
  await assertMasterKeys(app.get(Database), masterKeys);
  onStop(async () => {
    app.get(ApiHealth).drain();
    await app.close();
    await telemetry?.stop();
  });
  const metrics = app.get(Metrics);
  metrics.collectProcess();
  telemetry?.observe(metrics);
  await metrics.serve(settings.METRICS_PORT, settings.HOST);
  await app.listen({ port: settings.PORT, host: settings.HOST, backlog: BACKLOG });
  announceReady({ url: await app.getUrl() });
}

main().catch(fail);
