// npm run bench: our server beside a bare Fastify + pg server doing the same queries, on one machine in one run.
// Rounds alternate between the two; figures are medians. Trust the ratios, not the absolute numbers.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareData } from './data.mjs';
import { deepCursor, load, median, memoryMb, start, stopAll } from './measure.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ONLY = process.env.BENCH_ONLY;
const DEALS = Number(process.env.BENCH_DEALS ?? 100_000);
const { startEmbeddedPostgres } = await import('../dist/libs/embedded/server.js');

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const database = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
try {
  process.stderr.write(`Seeding ${DEALS} deals ...\n`);
  const data = await prepareData(database.url, folder, DEALS);
  const ours = await start('dist/src/api/main.js', [], data.env);
  const bare = await start('bench/bare-server.mjs', [database.url, data.tenantId, data.pipelineId, data.columns], {});
  const rows = [];
  for (const scenario of scenarios(data, ours, bare))
    if (!ONLY || scenario.name.startsWith(ONLY)) rows.push(await compare(scenario));
  console.table(Object.fromEntries(rows.map(({ name, ...figures }) => [name, figures])));
  console.log(`Memory of the API process: ${(await memoryMb(ours.child.pid)).toFixed(0)} MB`);
} finally {
  stopAll();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

function scenarios(data, ours, bare) {
  const headers = { 'x-api-key': data.apiKey };
  const json = { ...headers, 'content-type': 'application/json' };
  const path = '/api/v1/sales/deals';
  const body = () => JSON.stringify({ name: `Deal ${randomBytes(6).toString('hex')}`, value: 1234.5 });
  const anId = () => data.ids[Math.floor(Math.random() * data.ids.length)];
  const create = { method: 'POST', path: '/create', headers: { 'content-type': 'application/json' }, body };
  return [
    {
      name: 'list 50',
      goal: 0.8,
      ours: [ours, { path: `${path}?limit=50`, headers }],
      bare: [bare, { path: '/list' }],
    },
    {
      name: 'item',
      goal: 0.6,
      ours: [ours, { path: () => `${path}/${anId()}`, headers }],
      bare: [bare, { path: () => `/item/${anId()}` }],
    },
    { name: 'create', goal: 0.6, ours: [ours, { method: 'POST', path, headers: json, body }], bare: [bare, create] },
    {
      name: 'create with key',
      goal: 0.45,
      ours: [ours, { method: 'POST', path, headers: json, body, key: () => randomBytes(12).toString('hex') }],
      bare: [bare, create],
    },
    {
      name: 'page 1,000 / page 1',
      goal: 0.9,
      ours: [ours, { path, headers }],
      bare: [ours, { path: `${path}?limit=50`, headers }],
    },
  ];
}

async function compare({ name, goal, ours, bare }) {
  const rates = { ours: [], bare: [] };
  const costs = { ours: [], bare: [] };
  const target = { ours, bare };
  if (name.startsWith('page'))
    ours[1].path = `/api/v1/sales/deals?limit=50&cursor=${await deepCursor(ours[0].url, ours[1].headers)}`;
  for (let round = 0; round < ROUNDS; round++)
    for (const who of round % 2 ? ['bare', 'ours'] : ['ours', 'bare']) {
      process.stderr.write(`${name}: ${who}, round ${round + 1} of ${ROUNDS}\n`);
      if (round === 0) await load(...target[who], 1);
      const { rate, cpuUs } = await load(...target[who], SECONDS);
      rates[who].push(rate);
      costs[who].push(cpuUs);
    }
  const [a, b] = [median(rates.ours), median(rates.bare)];
  return {
    name,
    'ours /s': Math.round(a),
    'bare /s': Math.round(b),
    ratio: Number((a / b).toFixed(2)),
    goal,
    'ours CPU µs': Math.round(median(costs.ours)),
    'bare CPU µs': Math.round(median(costs.bare)),
  };
}
