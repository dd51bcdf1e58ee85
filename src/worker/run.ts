import 'reflect-metadata';
import { readSettings } from '#libs/config/settings.js';
import { Database } from '#libs/database/database.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { loadMasterKeys } from '#libs/sealing/master-key-files.js';
import { assertMasterKeys } from '#libs/sealing/master-key-rotation.js';
import { ENTITIES } from '#src/areas/entities.js';
import { connectionUrls } from '#src/database/urls.js';
import { createLogger } from '#src/platform/logger.js';
import { announceReady, fail, onStop } from '#src/platform/process.js';
import { startTelemetry } from '#src/platform/telemetry.js';
import { createWorker, startWork } from './app.js';

/** Runs one worker process until it is told to stop. */
async function main(): Promise<void> {
  const settings = readSettings();
  const masterKeys = loadMasterKeys(settings);
  const { systemUrl } = connectionUrls(settings, settings.DATABASE_URL);
  const options = {
    settings,
    masterKeys,
    databaseUrl: systemUrl,
    name: 'platform-worker',
    entities: ENTITIES,
    growsSlowly: true,
  };
  const logger = createLogger(options);
  const telemetry = await startTelemetry({ settings, service: 'worker', logger });
  const app = await createWorker(options, logger);
  await assertMasterKeys(app.get(Database), masterKeys);
  onStop(async () => {
    await app.close();
    await telemetry?.stop();
  });
  const metrics = app.get(Metrics);
  metrics.collectProcess();
  telemetry?.observe(metrics);
  await metrics.serve(settings.METRICS_PORT, settings.HOST);
  await startWork(app);
  announceReady();
}

main().catch(fail);
