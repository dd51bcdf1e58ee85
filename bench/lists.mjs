// npm run bench -- lists: what a page of a list costs in a tenant with a million deals, beside one with ten thousand.
// One connection, so that each figure is the time of one request; medians over the requests of all rounds.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareData } from './data.mjs';
import { deepCursor, median, start, stopAll } from './measure.mjs';

const DEALS = Number(process.env.BENCH_DEALS ?? 1_000_000);
const SMALL = 10_000;
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 60);
const LIST = '/api/v1/sales/deals?limit=50';
const { startEmbeddedPostgres } = await import('../dist/libs/embedded/server.js');

const folder = mkdtempSync(join(tmpdir(), 'platform-lists-'));
const database = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
try {
  process.stderr.write(`Seeding ${DEALS} deals in one tenant ...\n`);
  const data = await prepareData(database.url, folder, DEALS + SMALL, SMALL);
  const { url } = await start('dist/src/api/main.js', [], data.env);
  const large = { 'x-api-key': data.apiKey };
  const small = { 'x-api-key': data.smallApiKey };
  const { paths } = await (await fetch(`${url}/openapi.json`)).json();
  const rows = {};
  for (const [name, query] of queries(paths['/api/v1/sales/deals'].get.parameters))
    rows[name] = await compare(url, query, large, small);
  rows['page 1,000'] = await compare(url, `&cursor=${await deepCursor(url, large)}`, large, null);
  console.table(rows);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  stopAll();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Each documented sort both ways, and what people filter by. */
function queries(parameters) {
  const sorts = parameters.find(({ name }) => name === 'sort').schema.items.enum;
  return [
    ['page 1', ''],
    ...sorts.map((sort) => [`sort=${sort}`, `&sort=${sort}`]),
    ...[
      'stage=proposal',
      'status=won',
      'currency=EUR',
      'source=partner',
      'isStale=true',
      'valueMinor[gte]=9999000',
      'createdAt[lt]=2010-01-01T00:00:00Z',
      'ownerId[isNull]=false',
      'tag=nobody',
      'q=number 777777',
      'q=deal',
      'q=nothing',
    ].map((filter) => [filter, `&${new URLSearchParams([filter.split('=')])}`]),
  ];
}

async function compare(url, query, large, small) {
  const big = await medianMs(url, query, large);
  const little = small && (await medianMs(url, query, small));
  const figures = { [`ms at ${DEALS.toLocaleString('en')}`]: Number(big.toFixed(2)) };
  return small
    ? { ...figures, 'ms at 10,000': Number(little.toFixed(2)), ratio: Number((big / little).toFixed(2)) }
    : figures;
}

async function medianMs(url, query, headers) {
  const times = [];
  for (let i = -5; i < REQUESTS; i++) {
    const began = performance.now();
    const answer = await fetch(`${url}${LIST}${query}`, { headers });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${query}: ${answer.status} ${text}`);
    if (i >= 0) times.push(performance.now() - began);
  }
  return median(times);
}
