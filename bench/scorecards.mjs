// npm run bench -- scorecards: the time of a scorecard of all groups in a tenant with a million records of the lists that
// the metrics count, beside a tenant with a tenth of them. One request at a time. BENCH_RECORDS changes the number.
import { addTenant, openDatabase, withoutIndexes } from './data.mjs';
import { start } from './measure.mjs';
import { addMetricRecords, TABLES } from './scorecard-data.mjs';
import { withSite } from './site.mjs';

const RECORDS = Number(process.env.BENCH_RECORDS ?? 1_000_000);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 60);
const WARM_UP = 5;
const GOAL_MS = 500;

await withSite(async ({ folder, newDatabase }) => {
  const { client, sealer, env } = await openDatabase(await newDatabase(), folder);
  process.stderr.write(`Seeding ${RECORDS} records ...\n`);
  const [large, small] = await withoutIndexes(client, TABLES, async () => {
    const tenants = [await addTenant(client, sealer, 'large', 0), await addTenant(client, sealer, 'small', 0)];
    await addMetricRecords(client, tenants[0], RECORDS);
    await addMetricRecords(client, tenants[1], RECORDS / 10);
    return tenants;
  });
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  await client.end();
  const { url } = await start('dist/src/api/main.js', [], env);
  const rows = {};
  for (const period of ['week', 'month', 'quarter'])
    for (const compare of ['previous', 'year'])
      rows[`${period}, ${compare}`] = {
        ...figuresOf(await times(url, large, period, compare), `at ${RECORDS.toLocaleString('en')}`),
        'goal p95': GOAL_MS,
        ...figuresOf(await times(url, small, period, compare), `at ${(RECORDS / 10).toLocaleString('en')}`),
      };
  console.table(rows);
});

function figuresOf(ms, place) {
  return { [`median ms ${place}`]: quantile(ms, 0.5), [`p95 ms ${place}`]: quantile(ms, 0.95) };
}

/** Times of the requests for all groups. */
async function times(url, { apiKey }, period, compare) {
  const found = [];
  for (let i = -WARM_UP; i < REQUESTS; i++) {
    const began = performance.now();
    const answer = await fetch(`${url}/api/admin/scorecards?period=${period}&compare=${compare}`, {
      headers: { 'x-api-key': apiKey },
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${period}: ${answer.status} ${text}`);
    if (i >= 0) found.push(performance.now() - began);
    else checkCards(JSON.parse(text), period);
  }
  return found;
}

/** Every card must count something, or the figures would be those of an easier question. */
function checkCards({ cards }, period) {
  const empty = cards.filter(({ sampleSize }) => sampleSize === 0).map(({ key }) => key);
  if (cards.length < 40 || empty.length > 0) throw new Error(`${period}: ${cards.length} cards, empty: ${empty}`);
}

function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return Number(sorted[Math.ceil(part * sorted.length) - 1].toFixed(0));
}
