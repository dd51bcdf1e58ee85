// npm run bench rows: list and item with ten million deals of 1,000 tenants, compared with a database with a hundredth
// of the rows and tenants. Ten tenants send requests in both, so that only the other data differs; rounds alternate.
// Seeding ten million rows takes minutes; BENCH_ROWS reduces the number.
import { checkAnswers } from './answers.mjs';
import { addTenant, openDatabase, withoutIndexes } from './data.mjs';
import { fire, median, start, workOf } from './measure.mjs';
import { query, withSite } from './site.mjs';

const ROWS = Number(process.env.BENCH_ROWS ?? 10_000_000);
const TENANTS = Number(process.env.BENCH_TENANTS ?? 1_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const SHARE = 100;
const CALLERS = 10;
const IDS = 200;

await withSite(async ({ folder, newDatabase }) => {
  const perTenant = Math.round(ROWS / TENANTS);
  const large = await open(await newDatabase(), folder, TENANTS, perTenant);
  const small = await open(await newDatabase(), folder, Math.max(CALLERS, TENANTS / SHARE), perTenant);
  const rows = {};
  for (const name of ['list', 'item']) rows[name] = await compare(name, large, small);
  console.table(rows);
});

/** A filled database, a server on it, and its requests. */
async function open(adminUrl, folder, tenants, perTenant) {
  process.stderr.write(`Seeding ${tenants * perTenant} deals of ${tenants} tenants ...\n`);
  const { client, sealer, env } = await openDatabase(adminUrl, folder);
  const callers = await withoutIndexes(client, ['data.sales_deals'], async () => {
    const made = [];
    for (let i = 0; i < tenants; i++) made.push(await addTenant(client, sealer, `tenant-${i}`, perTenant));
    return made.filter((_, i) => i % Math.floor(tenants / CALLERS) === 0).slice(0, CALLERS);
  });
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  for (const caller of callers) caller.ids = await someIds(client, caller.tenantId);
  await client.end();
  const server = await start('dist/src/api/main.js', [], env);
  for (const [i, caller] of callers.entries())
    await checkAnswers(server.url, adminUrl, caller, callers[(i + 1) % callers.length].ids[0]);
  const [{ count }] = await query(adminUrl, 'select count(*)::int as count from data.sales_deals');
  const created = callers.length;
  if (count !== tenants * perTenant + created) throw new Error(`${count} rows are there, not ${tenants * perTenant}`);
  return { server, rows: tenants * perTenant, work: callers.map(workOf) };
}

async function someIds(client, tenantId) {
  const { rows } = await client.query(
    `select id from data.sales_deals where tenant_id = $1 order by md5(id::text) limit $2`,
    [tenantId, IDS],
  );
  return rows.map(({ id }) => id);
}

async function compare(name, large, small) {
  const rounds = { large: [], small: [] };
  const sites = { large, small };
  for (let round = 0; round <= ROUNDS; round++)
    for (const which of round % 2 ? ['small', 'large'] : ['large', 'small']) {
      process.stderr.write(`${name}: ${sites[which].rows} rows, round ${round} of ${ROUNDS}\n`);
      const requests = sites[which].work.map((each) => each[name]);
      const figures = await fire(sites[which].server, requests, { duration: SECONDS });
      if (round > 0) rounds[which].push(figures); // the first round warms up
    }
  const middle = (which, figure) => median(rounds[which].map((each) => each[figure]));
  return {
    [`/s at ${large.rows.toLocaleString('en')}`]: Math.round(middle('large', 'rate')),
    [`/s at ${small.rows.toLocaleString('en')}`]: Math.round(middle('small', 'rate')),
    ratio: Number((middle('large', 'rate') / middle('small', 'rate')).toFixed(2)),
    goal: 0.85,
    'CPU µs, large': Math.round(middle('large', 'cpuUs')),
    'CPU µs, small': Math.round(middle('small', 'cpuUs')),
  };
}
