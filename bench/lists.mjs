// npm run bench -- lists: the cost of a list page in a tenant with a million deals, compared with one with ten
// thousand. One connection, so each figure is the time of one request; medians over the requests of all rounds.
import { resolved } from '../dist/libs/http/openapi/references.js';
import { checkAnswers } from './answers.mjs';
import { prepareData } from './data.mjs';
import { deepCursor, median, start } from './measure.mjs';
import { withSite } from './site.mjs';

const DEALS = Number(process.env.BENCH_DEALS ?? 1_000_000);
const SMALL = Math.min(10_000, DEALS);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 60);
const LIST = '/api/v1/sales/deals?limit=50';

await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  process.stderr.write(`Seeding ${DEALS} deals in one tenant ...\n`);
  const data = await prepareData(adminUrl, folder, DEALS + SMALL, { small: SMALL });
  const { url } = await start('dist/src/api/main.js', [], data.env);
  await checkAnswers(url, adminUrl, data, data.foreignId);
  const large = { 'x-api-key': data.apiKey };
  const small = { 'x-api-key': data.smallApiKey };
  const document = await (await fetch(`${url}/openapi.json`)).json();
  const { parameters } = document.paths['/api/v1/sales/deals'].get;
  const rows = {};
  for (const [name, query] of queries(parameters.map((each) => resolved(document, each))))
    rows[name] = await compare(url, query, large, small);
  rows['page 1,000'] = await compare(url, `&cursor=${await deepCursor(url, large)}`, large, null);
  console.table(rows);
});

/** Each documented sort in both directions, and common filters. */
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
    ? {
        ...figures,
        [`ms at ${SMALL.toLocaleString('en')}`]: Number(little.toFixed(2)),
        ratio: Number((big / little).toFixed(2)),
      }
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
