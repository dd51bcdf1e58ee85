// npm run bench -- retention: a retention run that deletes products, each with a comment and an audit entry: records per
// second of one worker, and what a list of another tenant costs meanwhile. BENCH_RETENTION_RECORDS changes the number.
import { setTimeout as wait } from 'node:timers/promises';
import { expiredProducts, startRun } from './faults/expired-records.mjs';
import { call, openDatabase, Site } from './faults/site.mjs';
import { median } from './measure.mjs';

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
  await site.startWorker();
  await wait(5_000); // until it has processed the events of the preparation
  const calm = await listMs(api, other, (count) => count >= CALM);
  const jobId = await startRun(api, tenant);
  const since = performance.now();
  let ms = null;
  const finished = untilFinished(jobId).then(() => (ms = performance.now() - since));
  const busy = await listMs(api, other, () => ms !== null);
  await finished;
  const left = await site.rows('select 1 from data.sales_products where tenant_id = $1', [tenant.id]);
  if (left.length > 0) throw new Error(`${left.length} records were not deleted.`);
  console.table({
    'deleted records /s': { figure: Math.round(RECORDS / (ms / 1_000)), goal: 2_000 },
    'list before, ms': { figure: calm },
    'list meanwhile, ms': { figure: busy, goal: Number((calm * 1.2).toFixed(1)) },
  });
} finally {
  await site.close();
  await database.close();
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
