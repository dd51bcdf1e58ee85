// npm run bench: our server beside a bare Fastify + pg server doing the same queries, on one machine in one run.
// Rounds alternate between the two; figures are medians. Trust the ratios, not the absolute numbers.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { prepareData } from './data.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4);
const ONLY = process.env.BENCH_ONLY;
const DEALS = Number(process.env.BENCH_DEALS ?? 100_000);
const CONNECTIONS = 16;
const root = fileURLToPath(new URL('..', import.meta.url));
const { startEmbeddedPostgres } = await import('../dist/libs/embedded/server.js');

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const children = [];
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
  for (const child of children) child.kill('SIGKILL');
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

/** Follows the list to its 1,000th page. */
async function deepCursor(url, headers) {
  let cursor = null;
  for (let page = 1; page < 250; page++) {
    const query = `limit=200${cursor ? `&cursor=${cursor}` : ''}`;
    const answer = await (await fetch(`${url}/api/v1/sales/deals?${query}`, { headers })).json();
    cursor = answer.page.nextCursor;
    if (!cursor) break;
  }
  return cursor;
}

async function load({ url, child }, { method = 'GET', path, headers, body, key }, seconds) {
  const dynamic = (request) => ({
    ...request,
    ...(typeof path === 'function' ? { path: path() } : {}),
    ...(body ? { body: body() } : {}),
    ...(key ? { headers: { ...headers, 'idempotency-key': key() } } : {}),
  });
  const isDynamic = typeof path === 'function' || body !== undefined;
  const before = await cpuMs(child.pid);
  const result = await autocannon({
    url,
    connections: CONNECTIONS,
    duration: seconds,
    requests: [{ ...dynamic({ method, path, headers }), ...(isDynamic ? { setupRequest: dynamic } : {}) }],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refused, ${result.errors} errors`);
  const spentMs = (await cpuMs(child.pid)) - before;
  return { rate: result.requests.average, cpuUs: (spentMs * 1000) / result.requests.total };
}

function start(file, args, env) {
  return new Promise((resolve, reject) => {
    const child = fork(join(root, file), args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.push(child);
    child.once('message', ({ url }) => resolve({ child, url }));
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
}

/** CPU time of a process so far, user and system. */
async function cpuMs(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

async function memoryMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
