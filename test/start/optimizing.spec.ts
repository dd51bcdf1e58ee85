import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '#libs/testing/until.js';
import { openFaultSite } from '../faults/fault-site.js';
import { removeFolders, temporaryFolder } from './temporary-folder.js';

const { site, close } = await openFaultSite();
afterAll(close);
afterAll(removeFolders);

const PROBE_LIMIT_MS = 30_000;
/** Bit of V8's optimization status: the function runs as optimised code. */
const OPTIMISED = 1 << 4;

/** Loaded before an app: writes how long after being ready V8 has optimised a function that is called often all the time, ms. */
const probe = (file: string) => `
  const { setFlagsFromString } = require('node:v8');
  const native = (text) => new (require('node:vm').Script)(text).runInThisContext();
  setFlagsFromString('--allow-natives-syntax');
  const statusOf = native('(callee) => %GetOptimizationStatus(callee)');
  const leaveAlone = native('(callee) => %NeverOptimizeFunction(callee)');
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  const sum = (most) => numbers.reduce((all, each) => all + Math.min(each, most), 0);
  const isOptimised = () => (statusOf(sum) & ${OPTIMISED}) !== 0;
  let readyMs = Infinity;
  const look = () => {
    for (let i = 0; i < 5_000; i++) sum(i);
    if (!isOptimised()) return;
    require('node:fs').writeFileSync(${JSON.stringify(file)}, String(performance.now() - readyMs));
    clearInterval(timer);
  };
  leaveAlone(look); // or the sum might become a part of it
  isOptimised(); // compiled as long as its syntax is allowed; then the flags are those of a start again
  setFlagsFromString('--no-allow-natives-syntax');
  const timer = setInterval(look, 500); // not before the app has set its flags
  const announce = process.send;
  process.send = function (message) {
    if (message.ready) readyMs = performance.now();
    return announce.apply(process, arguments);
  };`;

/** Starts a process with the probe; answers what that has written. */
async function optimizedAfterMs(start: (env: Record<string, string>) => Promise<unknown>): Promise<number> {
  const folder = temporaryFolder();
  const [program, file] = [join(folder, 'probe.cjs'), join(folder, 'after')];
  writeFileSync(program, probe(file));
  await start({ NODE_OPTIONS: `--require=${program}` });
  await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '', PROBE_LIMIT_MS);
  return Number(readFileSync(file, 'utf8'));
}

it('V8 optimises a worker when it has been ready for three seconds, and not before', async () => {
  expect(await optimizedAfterMs((env) => site.startWorker(env))).toBeGreaterThanOrEqual(2_900);
});

it('V8 optimises an API process when it is ready, and not before', async () => {
  const afterMs = await optimizedAfterMs((env) => site.startApi(env));
  expect(afterMs).toBeGreaterThanOrEqual(0);
  expect(afterMs).toBeLessThan(Infinity);
});
