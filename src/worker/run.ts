import 'reflect-metadata';
import { loadMasterKey } from '#libs/config/master-key.js';
import { readSettings } from '#libs/config/settings.js';
import { Metrics } from '#libs/metrics/metrics.js';
import { ENTITIES } from '#src/areas/entities.js';
import { connectionUrls } from '#src/database/urls.js';
import type { KeepCompiled } from '#src/platform/app-script.js';
import { whenAtWork } from '#src/platform/at-work.js';
import { asAtStart, optimize } from '#src/platform/optimization.js';
import { announceReady, fail, onStop } from '#src/platform/process.js';
import { createWorker, startWork } from './app.js';

/** A process that has just started delivers first. */
const OPTIMIZE_AFTER_MS = 3_000;

/** Runs one worker process until it is told to stop. @param keepCompiled is called once nothing more has to be loaded, and when it has worked. */
export async function runWorker(keepCompiled: KeepCompiled): Promise<void> {
  try {
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
    setTimeout(optimize, OPTIMIZE_AFTER_MS).unref();
    keepCompiled('started');
    whenAtWork(() => asAtStart(() => keepCompiled('worked')));
  } catch (error) {
    fail(error);
  }
}
