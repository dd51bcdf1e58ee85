// npm run bench: our server compared with a bare Fastify + pg server running the same queries, on one machine in one
// run. Rounds alternate between the two after warm-up; figures are medians, ratios those of the rounds. Trust the
// ratios, not the absolute numbers.
import { randomBytes } from 'node:crypto';
import { checkAnswers, checkPage, checkSameList } from './answers.mjs';
import { prepareData } from './data.mjs';
import { deepCursor, load, median, memoryMb, start, workOf } from './measure.mjs';
import { withSite } from './site.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const WARM_UP_SECONDS = 3 * SECONDS;
const ONLY = process.env.BENCH_ONLY;
/** What an app starts with: it may cost three items. */
const START = '/api/bootstrap';
const DEALS = Number(process.env.BENCH_DEALS ?? 100_000);

await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  process.stderr.write(`Seeding ${DEALS} deals ...\n`);
  const data = await prepareData(adminUrl, folder, DEALS);
  const ours = await start('dist/src/api/main.js', [], data.env);
  const bare = await start('bench/bare-server.mjs', [adminUrl, data.tenantId, data.pipelineId, data.columns], {});
  await checkSameList(ours.url, data.apiKey, bare.url);
  await checkAnswers(ours.url, adminUrl, data, data.foreignId);
  const page = await pageByCursor(ours, data.apiKey);
  await checkPage(ours.url, adminUrl, data, page.path);
  const rows = [];
  for (const scenario of scenarios(data, ours, bare, page))
    if (!ONLY || scenario.name.startsWith(ONLY)) rows.push(await compare(scenario));
  console.table(Object.fromEntries(rows.map(({ name, ...figures }) => [name, figures])));
  console.log(`Memory of the API process: ${(await memoryMb(ours.child.pid)).toFixed(0)} MB`);
});

function scenarios(data, ours, bare, page) {
  const { list, item, create } = workOf(data);
  const bareItem = { path: () => item.path().replace(/^.*\//, '/item/') };
  const bareCreate = { ...create, path: '/create', headers: { 'content-type': 'application/json' } };
  const keyed = { ...create, key: () => randomBytes(12).toString('hex') };
  return [
    { name: 'list 50', goal: 0.8, ours: [ours, list], bare: [bare, { path: '/list' }] },
    { name: 'item', goal: 0.6, ours: [ours, item], bare: [bare, bareItem] },
    { name: 'create', goal: 0.6, ours: [ours, create], bare: [bare, bareCreate] },
    { name: 'create with key', goal: 0.45, ours: [ours, keyed], bare: [bare, bareCreate] },
    { name: 'bootstrap / item', goal: 0.33, ours: [ours, { ...item, path: START }], bare: [ours, item] },
    { name: 'page 1,000 / page 1', goal: 0.9, ours: [ours, page], bare: [ours, list] },
  ];
}

/** The 1,000th page, or the last one before it. */
async function pageByCursor(ours, apiKey) {
  const headers = { 'x-api-key': apiKey };
  return { path: `/api/v1/sales/deals?limit=50&cursor=${await deepCursor(ours.url, headers)}`, headers };
}

async function compare({ name, goal, ours, bare }) {
  const rates = { ours: [], bare: [] };
  const costs = { ours: [], bare: [] };
  const target = { ours, bare };
  process.stderr.write(`${name}: warm-up\n`);
  for (const who of ['ours', 'bare']) await load(...target[who], WARM_UP_SECONDS);
  for (let round = 0; round < ROUNDS; round++)
    for (const who of round % 2 ? ['bare', 'ours'] : ['ours', 'bare']) {
      process.stderr.write(`${name}: ${who}, round ${round + 1} of ${ROUNDS}\n`);
      const { rate, cpuUs } = await load(...target[who], SECONDS);
      rates[who].push(rate);
      costs[who].push(cpuUs);
    }
  return {
    name,
    'ours /s': Math.round(median(rates.ours)),
    'bare /s': Math.round(median(rates.bare)),
    ratio: Number(median(rates.ours.map((rate, round) => rate / rates.bare[round])).toFixed(2)),
    goal,
    'ours CPU µs': Math.round(median(costs.ours)),
    'bare CPU µs': Math.round(median(costs.bare)),
  };
}
