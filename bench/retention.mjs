// npm run bench -- retention: a retention run that deletes products, each with a comment and an audit entry: records per
// second of one worker, and what a list of another tenant costs meanwhile. The CPU times are comparable even on a busy
// machine. BENCH_RETENTION_RECORDS changes the number.
import { setTimeout as wait } from 'node:timers/promises';
import { expiredProducts, startRun } from './faults/expired-records.mjs';
import { call, openDatabase, Site } from './faults/site.mjs';
import { cpuMs, median } from './measure.mjs';

const RECORDS = Number(process.env.BENCH_RETENTION_RECORDS ?? 20_000);
const CALM = 200;
const LIST = '/api/v1/sales/products?limit=50';
const PAUSE_MS = 20;

const database = await openDatabase();
const site = new Site(database);
try {
  const [tenant, other] = await site.tenants(2);
  const api = await site.api();
  await expiredProducts(site, api, other, 50);
  await expiredProducts(site, api, tenant, RECORDS);
  const worker = await site.startWorker();
  await wait(5_000); // until it has processed the events of the preparation
  const calm = await listMs(api, other, (count) => count >= CALM);
  const jobId = await startRun(api, tenant);
  const before = await cpuOf(worker);
  const since = performance.now();
  let ms = null;
  const finished = untilFinished(jobId).then(() => (ms = performance.now() - since));
  const busy = await listMs(api, other, () => ms !== null);
  await finished;
  const after = await cpuOf(worker);
  const usOf = (pids) => pids.reduce((sum, pid) => sum + after.get(pid) - (before.get(pid) ?? 0), 0) * 1_000;
  const [workerUs, connectionsUs] = [usOf([worker.pid]), usOf([...after.keys()].filter((pid) => pid !== worker.pid))];
  const left = await site.rows('select 1 from data.sales_products where tenant_id = $1', [tenant.id]);
  if (left.length > 0) throw new Error(`${left.length} records were not deleted.`);
  console.table({
    'deleted records /s': { figure: Math.round(RECORDS / (ms / 1_000)), goal: 2_000 },
    'CPU of the worker per record, µs': { figure: Math.round(workerUs / RECORDS) },
    'CPU of its connections per record, µs': { figure: Math.round(connectionsUs / RECORDS) },
    'list before, ms': { figure: calm },
    'list meanwhile, ms': { figure: busy, goal: Number((calm * 1.2).toFixed(1)) },
  });
} finally {
  await site.close();
  await database.close();
}

/** CPU time so far in ms, of a worker and of the PostgreSQL processes that serve it, by process id. */
async function cpuOf({ pid }) {
  const backends = await site.rows(`select pid from pg_stat_activity where application_name = 'platform-worker'`);
  const pids = [pid, ...backends.map((backend) => backend.pid)];
  return new Map(await Promise.all(pids.map(async (each) => [each, await cpuMs(each)])));
}

/** Median time of a list, requested until `isEnough`. */
async function listMs(api, tenant, isEnough) {
  const times = [];
  while (!isEnough(times.length)) {
    const startedMs = performance.now();
    const { status } = await call(api, tenant, 'GET', LIST);
    if (status !== 200) throw new Error(`The list responds with ${status}.`);
    times.push(performance.now() - startedMs);
    await wait(PAUSE_MS);
  }
  return Number(median(times).toFixed(1));
}

async function untilFinished(jobId) {
  for (;;) {
    const [{ status }] = await site.rows('select status from data.jobs where id = $1', [jobId]);
    if (status === 'failed') throw new Error('The run failed.');
    if (status === 'succeeded') return;
    await wait(50);
  }
}
