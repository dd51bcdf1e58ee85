// npm run bench -- accounting: the CPU time that counting adds to a request, in the API process and in PostgreSQL, as a
// share of the CPU time of the cheapest business request. Counting is measured by itself: requests of one tenant with 20
// keys on 20 routes are counted with and without, and a flush writes ten seconds of them. BENCH_RATE changes how many.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RequestAccounts } from '../dist/libs/request-counts/request-accounts.js';
import { ProcessCoverage } from '../dist/libs/request-counts/process-coverage.js';
import { Database } from '../dist/libs/database/database.js';
import { dataSource } from '../dist/libs/database/data-source.js';
import { SystemClock } from '../dist/libs/kernel/clock.js';
import { prepareData } from './data.mjs';
import { fire, median, start, workOf } from './measure.mjs';
import { query, withSite } from './site.mjs';

const RATE = Number(process.env.BENCH_RATE ?? 1_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const FLUSH_SECONDS = 10;
const WARM_UP = 2;
const GOAL_PERCENT = 2;
const [KEYS, ROUTES] = [20, 20];
const HOW = { status: 200, ms: 3, bytes: 900, replayed: false, permissions: ['deals:read'] };

await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  const data = await prepareData(adminUrl, folder, 10_000);
  const source = await dataSource({
    url: data.env.DATABASE_APP_URL,
    entities: [],
    poolSize: 1,
    applicationName: 'bench',
  }).initialize();
  const [database, clock] = [new Database(source), new SystemClock()];
  const accounts = new RequestAccounts(database, clock, new ProcessCoverage(database, clock));
  const requests = requestsOf(data.tenantId);
  const [{ pid }] = await source.query('select pg_backend_pid() as pid');
  const rounds = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const figures = await measure(accounts, requests, pid);
    if (round >= 0) rounds.push(figures);
  }
  await source.destroy();
  await checkStored(adminUrl, (ROUNDS + WARM_UP) * requests.length);
  const server = await start('dist/src/api/main.js', [], data.env);
  const request = await costOf(server, workOf(data).item, adminUrl);
  const us = Object.fromEntries(
    ['record', 'flush', 'postgres'].map((part) => [part, median(rounds.map((each) => each[part]))]),
  );
  const sum = us.record + us.flush + us.postgres;
  console.table({
    'counting a request, µs': { figure: Number(us.record.toFixed(2)) },
    [`its share of a flush at ${RATE}/s, µs`]: { figure: Number(us.flush.toFixed(2)) },
    'the same in PostgreSQL, µs': { figure: Number(us.postgres.toFixed(2)) },
    'a whole request, API and PostgreSQL, µs': { figure: Math.round(request) },
    'share of accounting, %': { figure: Number(((100 * sum) / request).toFixed(2)), goal: GOAL_PERCENT },
  });
});

/** A flush reports its failures to the log only. */
async function checkStored(adminUrl, counted) {
  const [{ stored }] = await query(
    adminUrl,
    `select sum(count)::int as stored from data.request_stats_minute where route like '/api/v1/bench/%'`,
  );
  if (stored !== counted) throw new Error(`${stored} requests of ${counted} were written.`);
}

/** What the requests of ten seconds are counted by. */
function requestsOf(tenantId) {
  const tenant = { id: tenantId, epoch: 1 };
  const keys = Array.from({ length: KEYS }, () => {
    const id = randomUUID();
    return { tenant, credentialId: id, lineageId: id, kind: 'api_key' };
  });
  return Array.from({ length: RATE * FLUSH_SECONDS }, (_, i) => [
    keys[i % KEYS],
    `/api/v1/bench/${Math.floor(i / KEYS) % ROUTES}`,
  ]);
}

/** CPU time per request of counting, and of the flush in both processes. */
async function measure(accounts, requests, pid) {
  const idle = loop(requests, () => null);
  const counted = loop(requests, (principal, route) => {
    const count = accounts.admitted(principal, 'read', route, 'GET');
    accounts.answered(count, HOW);
  });
  const [own, postgres] = [process.cpuUsage(), await cpuNs(pid)];
  await accounts.flush();
  const { user, system } = process.cpuUsage(own);
  return {
    record: (counted - idle) / requests.length,
    flush: (user + system) / requests.length,
    postgres: ((await cpuNs(pid)) - postgres) / 1_000 / requests.length,
  };
}

function loop(requests, work) {
  const before = process.cpuUsage();
  for (const [principal, route] of requests) work(principal, route);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** CPU time of a whole request in both processes, µs: the median of the rounds after a warm-up. */
async function costOf(server, request, adminUrl) {
  const costs = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const before = await backendsNs(adminUrl);
    const { cpuUs, rate } = await fire(server, [request], { duration: SECONDS });
    const postgresUs = ((await backendsNs(adminUrl)) - before) / 1_000;
    if (round >= 0) costs.push(cpuUs + postgresUs / (rate * SECONDS));
  }
  return median(costs);
}

/** CPU time of the connections of the database so far. */
async function backendsNs(adminUrl) {
  const rows = await query(
    adminUrl,
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const times = await Promise.all(rows.map(({ pid }) => cpuNs(pid).catch(() => 0)));
  return times.reduce((sum, ns) => sum + ns, 0);
}

/** CPU time of a process so far. */
async function cpuNs(pid) {
  return Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[0]);
}
