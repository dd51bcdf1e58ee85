import 'reflect-metadata';
import { loadMasterKey } from '#libs/config/master-key.js';
import { readSettings } from '#libs/config/settings.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { ENTITIES } from '#src/areas/entities.js';
import { connectionUrls } from '#src/database/urls.js';
import { announceReady, fail, onStop } from '#src/platform/process.js';
import { createWorker, startWork } from './app.js';

/** Runs one worker process until it is told to stop. */
async function main(): Promise<void> {
  const settings = readSettings();
  const masterKey = loadMasterKey(settings);
  const { systemUrl } = connectionUrls(settings, masterKey, settings.DATABASE_URL);
  const app = await createWorker({
    settings,
    masterKey,
    databaseUrl: systemUrl,
    name: 'platform-worker',
    entities: ENTITIES,
    growsSlowly: true,
  });
  onStop(() => app.close());
  const metrics = app.get(Metrics);
  metrics.collectProcess();
  await metrics.serve(settings.METRICS_PORT, settings.HOST);
  await startWork(app);
  announceReady();
}

main().catch(fail);
