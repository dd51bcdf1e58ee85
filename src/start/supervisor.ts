import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '#libs/config/operator-error.js';
import type { Settings } from '#libs/config/settings.js';
import { whyNotListen } from '#libs/embedded/free-port.js';
import { loadMasterKeys } from '#libs/sealing/master-key-files.js';
import type { MasterKeys } from '#libs/sealing/master-keys.js';
import { NODE_FLAGS } from '#src/platform/node-flags.js';
import { banner } from './banner.js';
import { Child } from './child.js';
import { holdDataFolder } from './data-folder.js';
import type { Holder } from './data-folder.js';
import { openDatabase } from './database.js';
import { DEMO_PEOPLE } from './demo-people.js';
import { signInSettings, tryOutProvider } from './identity-provider.js';
import { processBirth } from './process-birth.js';
import { loadSampleData } from './sample-data.js';

const PREDECESSOR_LIMIT_MS = 5_000;

const tell = (line: string): void => void process.stderr.write(`${line}\n`);

/**
 * Runs the whole platform from this process: database, migrations, demo tenant, API and worker. When asked to stop, it
 * stops them in order. Once it is up, a part that ends is restarted without affecting the others.
 * @param stopRequested resolves when everything should stop; possibly during the start.
 * @param print writes the usage lines once the platform is ready.
 * @param nodeFlags Node options for API and worker.
 * @throws OperatorError when it cannot start; everything is stopped by then.
 */
export async function runPlatform(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  stopRequested: Promise<void>,
  print: (text: string) => void,
  nodeFlags: readonly string[] = NODE_FLAGS,
): Promise<void> {
  const startedMs = performance.now();
  const undo: (() => void | Promise<void>)[] = [];
  let stopping = false;
  const stopped = stopRequested.then(() => void (stopping = true));
  try {
    const hold = await holdDataFolder(settings.DATA_DIR, 'platform');
    undo.push(() => hold.release());
    await endLeftovers(hold.predecessor);
    await checkPorts(settings);
    const masterKeys = loadMasterKeys(settings);
    hold.publish({ masterKeyIds: masterKeys.ids });
    if (stopping) return;

    const children: Child[] = [];
    const publish = () => hold.publish({ children: children.flatMap(birthOf) });
    const provider = tryOutProvider(settings, env, { onSpawn: publish, tell });
    if (provider) children.push(provider);
    undo.push(() => provider?.stop());
    const issuing = provider?.start() ?? Promise.resolve(null);
    issuing.catch(() => undefined); // awaited once the database runs

    const loading = loadSteps();
    // Awaited only once the database runs; a failure until then must not count as unhandled.
    loading.catch(() => undefined);
    const database = await openDatabase(settings, tell);
    undo.push(() => database.stop());
    const { migrate, connectionUrls, ensureDemo, ensureDemoPeople } = await loading;
    if (stopping) return;

    await migrate(database.adminUrl, settings).catch((error: Error) => {
      throw new OperatorError(`The database cannot be migrated to the newest schema: ${error.message}`, {
        cause: error,
      });
    });
    hold.publish({ adminUrl: database.adminUrl });
    if (stopping) return;

    const urls = connectionUrls(settings, database.adminUrl);
    const issuer = await issuing;
    if (stopping) return;
    const signIn = issuer === null ? {} : signInSettings(issuer);
    const childEnv = { ...env, ...childSettings(masterKeys), ...signIn };
    const { api, worker } = makeChildren(settings, urls, childEnv, nodeFlags, publish);
    children.push(api, worker);
    undo.push(async () => void (await Promise.all([api.stop(), worker.stop()])));
    const prepareDemo = async () => {
      const made = await ensureDemo(settings, urls.systemUrl, masterKeys, tell);
      if (issuer !== null) await ensureDemoPeople(urls.systemUrl, masterKeys, made.demo.tenantSlug);
      return made;
    };
    const ready = Promise.all([api.start(), worker.start(), prepareDemo()]);
    const up = await Promise.race([ready, stopped]);
    if (!up) return;
    const apiUrl = up[0] ?? `http://${settings.HOST}:${settings.PORT}`;
    hold.publish({ apiUrl });
    const { demo, isNew } = up[2];
    if (isNew) await Promise.race([loadSampleData(apiUrl, demo, tell), stopped]);
    if (stopping) return;
    print(
      banner({
        apiUrl,
        demo,
        people: issuer === null ? [] : DEMO_PEOPLE,
        readyMs: performance.now() - startedMs,
      }),
    );
    await stopped;
  } catch (error) {
    // Failures caused by the shutdown are ignored.
    if (!stopping) throw error;
  } finally {
    stopping = true;
    for (const step of undo.reverse()) await step();
  }
}

/** Loaded while the database starts, because both take about the same time. */
async function loadSteps() {
  const [{ migrate }, { connectionUrls }, { ensureDemo }, { ensureDemoPeople }] = await Promise.all([
    import('#src/database/migrate.js'),
    import('#src/database/urls.js'),
    import('#src/cli/demo.js'),
    import('#src/cli/demo-people.js'),
  ]);
  return { migrate, connectionUrls, ensureDemo, ensureDemoPeople };
}

/** Waits for the child processes of a killed platform, which exit by themselves; kills those that do not. */
async function endLeftovers(predecessor: Holder | null): Promise<void> {
  const giveUpMs = Date.now() + PREDECESSOR_LIMIT_MS;
  for (const { pid, birth } of predecessor?.children ?? []) {
    const isThere = () => birth !== null && processBirth(pid) === birth;
    while (isThere() && Date.now() < giveUpMs) await wait(20);
    if (isThere()) process.kill(pid, 'SIGKILL');
  }
}

/** Finds a taken port before anything is started. */
async function checkPorts({ HOST, PORT, METRICS_PORT }: Settings): Promise<void> {
  const ports = [
    ['PORT', PORT],
    ...(METRICS_PORT === 0
      ? []
      : ([
          ['METRICS_PORT', METRICS_PORT],
          ['METRICS_PORT', METRICS_PORT + 1],
        ] as const)),
  ] as const;
  for (const [setting, port] of ports) {
    const reason = await whyNotListen(HOST, port);
    if (reason === null) continue;
    const text = reason === 'EADDRINUSE' ? 'is already in use' : `cannot be used (${reason})`;
    throw new OperatorError(`Port ${port} on ${HOST} ${text}; set ${setting} or HOST`);
  }
}

/** Settings of API and worker. Each then receives the URL of its own role, and neither that of the superuser. */
function childSettings({ keys }: MasterKeys): NodeJS.ProcessEnv {
  const [current, previous] = keys;
  return {
    DATABASE_URL: undefined,
    DATABASE_APP_URL: undefined,
    DATABASE_SYSTEM_URL: undefined,
    MASTER_KEY: current!.toString('base64'),
    MASTER_KEY_PREVIOUS: previous?.toString('base64'),
  };
}

/** Identifies a running process beyond its reusable id; empty when it does not run. */
function birthOf({ pid }: Child): Holder['children'] {
  return pid === null ? [] : [{ pid, birth: processBirth(pid) }];
}

function makeChildren(
  settings: Settings,
  urls: { appUrl: string; systemUrl: string },
  env: NodeJS.ProcessEnv,
  flags: readonly string[],
  onSpawn: () => void,
): { api: Child; worker: Child } {
  const make = (name: string, folder: string, more: NodeJS.ProcessEnv) =>
    new Child({
      name,
      entry: fileURLToPath(new URL(`../${folder}/main.js`, import.meta.url)),
      env: { ...env, ...more },
      flags,
      onSpawn,
      tell,
    });
  const api: Child = make('API', 'api', { DATABASE_APP_URL: urls.appUrl });
  // Both run on one machine, so each needs a separate metrics port.
  const workerMetrics = settings.METRICS_PORT === 0 ? {} : { METRICS_PORT: String(settings.METRICS_PORT + 1) };
  const worker: Child = make('worker', 'worker', { DATABASE_SYSTEM_URL: urls.systemUrl, ...workerMetrics });
  return { api, worker };
}
