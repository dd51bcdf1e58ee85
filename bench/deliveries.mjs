// npm run bench: one worker process alternating with a bare undici pool that sends the same signed bodies to the same
// local receiver: the speed of a machine varies, so many short rounds are more reliable than few long ones. The worker
// runs throughout, and is stopped (SIGSTOP) between its turns. Then the time from commit to first attempt at a steady
// rate. With taskset, the worker and the pool have a dedicated core, and receiver and database share the others. 1,000
// tenants with one endpoint each: an endpoint has at most ten deliveries in flight, so with few endpoints the latency
// would limit the rate.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { uuidv7 } from '../dist/libs/kernel/id.js';
import { prepareData } from './data.mjs';
import { cpuMs, cpuMsOfAll, median, start, stop } from './measure.mjs';
import { withSite } from './site.mjs';

const TENANTS = 1_000;
/** Per round: ten seconds for the worker. */
const EVENTS = Number(process.env.BENCH_EVENTS ?? 100_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
/** Sent before measuring, while the worker increases its leases. */
const RUN_UP = 0.2;
const CONCURRENCY = 200;
/**
 * A worker starts slowly: its in-flight limit doubles every two and a half seconds, and is lifted after fifteen. V8 has
 * compiled its code some seconds later.
 */
const WARM_UP_MS = 20_000;
const FIRST_CORE = '0';
/** Read before this process is pinned to some of them. */
const CORES = availableParallelism();
const OTHER_CORES = `1-${CORES - 1}`;
const RATE = 200;
const RATE_SECONDS = Number(process.env.BENCH_SECONDS ?? 15);

let admin;
await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  const data = await prepareData(adminUrl, folder, 0, { tenants: TENANTS });
  const env = {
    ...data.env,
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    LOG_LEVEL: 'error',
    WORKER_CONCURRENCY: CONCURRENCY,
  };
  admin = new pg.Client({ connectionString: adminUrl });
  admin.on('error', () => undefined); // the database is dropped on failure, which is reported
  await admin.connect();
  const sink = await start('bench/sink.mjs', [], {});
  const { rows: setting } = await admin.query('show data_directory');
  const postmaster = Number(readFileSync(join(setting[0].data_directory, 'postmaster.pid'), 'utf8').split('\n')[0]);
  for (const pid of [postmaster, sink.child.pid, process.pid]) pin(pid, OTHER_CORES);
  await addEndpoints(data.smallTenants, sink.url, env);
  const template = await anEvent(data.smallTenants[0]);
  const sample = await aRequest(data.smallTenants, template, sink, env);
  const worker = await start('dist/src/worker/main.js', [], env);
  pin(worker.child.pid, FIRST_CORE);
  process.stderr.write('deliveries: warming up\n');
  for (const endMs = performance.now() + WARM_UP_MS; performance.now() < endMs;) {
    await addAll(data.smallTenants, template, sink);
    await arrived(sink, EVENTS);
  }
  await pause(worker);
  let before = await sendBare(sink, sample);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    await addAll(data.smallTenants, template, sink);
    worker.child.kill('SIGCONT');
    const figures = await deliverAll(sink, postmaster, worker);
    await pause(worker);
    const after = await sendBare(sink, sample);
    const bare = (before.rate + after.rate) / 2;
    const done = { ...figures, bare, ratio: figures.ours / bare, bareUs: (before.cpuUs + after.cpuUs) / 2 };
    before = after;
    rounds.push(done);
    const [rate, pool, cpuUs, databaseUs] = [done.ours, bare, done.cpuUs, done.databaseUs].map(Math.round);
    const place = `round ${round + 1} of ${ROUNDS}: ${done.ratio.toFixed(2)}`;
    process.stderr.write(
      `deliveries: ${place}, ${rate}/s of ${pool}/s; worker ${cpuUs} µs, PostgreSQL ${databaseUs} µs\n`,
    );
  }
  worker.child.kill('SIGCONT');
  await stop(worker);
  const delays = await steadily(data.smallTenants, template, sink, env);
  const [ours, bare] = ['ours', 'bare'].map((who) => median(rounds.map((each) => each[who])));
  const rate = `commit to first attempt at ${RATE}/s`;
  const { rows: pages } = await admin.query(`select current_setting('huge_pages_status', true) as status`);
  console.table({
    'worker, deliveries/s': { figure: Math.round(ours), goal: 'at least 500' },
    'bare undici pool, requests/s': { figure: Math.round(bare), goal: '' },
    'ratio, median of the rounds': {
      figure: Number(median(rounds.map(({ ratio }) => ratio)).toFixed(2)),
      goal: 'at least 0.4',
    },
    'ratio, lowest and highest': {
      figure: [Math.min, Math.max].map((of) => of(...rounds.map(({ ratio }) => ratio)).toFixed(2)).join(' to '),
      goal: '',
    },
    'worker, CPU µs per delivery': { figure: Math.round(median(rounds.map(({ cpuUs }) => cpuUs))), goal: '' },
    'PostgreSQL, CPU µs per delivery': {
      figure: Math.round(median(rounds.map(({ databaseUs }) => databaseUs))),
      goal: '',
    },
    'PostgreSQL, huge pages': { figure: pages[0].status ?? 'unknown', goal: '' },
    'bare undici pool, CPU µs per request': {
      figure: Math.round(median(rounds.map(({ bareUs }) => bareUs))),
      goal: '',
    },
    [`${rate}, median ms`]: { figure: Math.round(delays[Math.floor(delays.length / 2)]), goal: '' },
    [`${rate}, 95th percentile ms`]: {
      figure: Math.round(delays[Math.floor(delays.length * 0.95)]),
      goal: 'below 250',
    },
  });
  await admin.end();
});

/** One endpoint per tenant, created by the API because secrets are encrypted. */
async function addEndpoints(tenants, url, env) {
  const api = await start('dist/src/api/main.js', [], env);
  for (const { apiKey } of tenants) {
    const answer = await fetch(`${api.url}/api/webhooks/endpoints`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ url, eventTypes: ['sales.deal.created'] }),
    });
    if (answer.status !== 201) throw new Error(`An endpoint was rejected: ${await answer.text()}`);
  }
  const [{ apiKey }] = tenants;
  await fetch(`${api.url}/api/sales/deals`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Acme renewal', value: 25_000 }),
  });
  await stop(api);
}

/** The event of a real deal, the template of the others. */
async function anEvent({ tenantId }) {
  const { rows } = await admin.query(`select * from data.events where tenant_id = $1 and type = 'sales.deal.created'`, [
    tenantId,
  ]);
  await admin.query(`delete from data.events_pending`);
  return rows[0];
}

/** The events of a round. */
async function addAll(tenants, template, sink) {
  await ask(sink, 'reset');
  await addEvents(tenants, template, EVENTS);
  // Maintenance that PostgreSQL would otherwise run during the measurement.
  await admin.query('vacuum (analyze) data.events, data.events_pending');
}

async function addEvents(tenants, template, count) {
  const ids = Array.from({ length: count }, () => uuidv7());
  await admin.query(
    `with added as (
       insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope)
       select t.id, e.id, $3, $4, now(), $5, e.id::text,
         replace(replace($6, $7, e.id::text), $8, t.id::text)
       from unnest($1::uuid[]) with ordinality e (id, n)
         join unnest($2::uuid[]) with ordinality t (id, n) on t.n = 1 + e.n % $9
       returning tenant_id, id)
     insert into data.events_pending (tenant_id, event_id) select tenant_id, id from added`,
    [
      ids,
      tenants.map(({ tenantId }) => tenantId),
      template.type,
      template.schema_version,
      template.subject_type,
      template.envelope,
      template.id,
      template.tenant_id,
      tenants.length,
    ],
  );
  return ids;
}

/** Rate of a worker with all events of a round queued, and CPU time per delivery in µs. */
async function deliverAll(sink, postmaster, worker) {
  await arrived(sink, EVENTS * RUN_UP);
  const from = { ...(await spent(worker, postmaster)), ...(await ask(sink, 'report')) };
  await arrived(sink, EVENTS);
  const { last, count } = await ask(sink, 'report');
  const done = { ...(await spent(worker, postmaster)), count: count - from.count };
  if (count > EVENTS) throw new Error(`${count - EVENTS} deliveries were duplicated.`);
  return {
    ours: (done.count / (last - from.last)) * 1_000,
    cpuUs: ((done.cpu - from.cpu) * 1_000) / done.count,
    databaseUs: ((done.databaseCpu - from.databaseCpu) * 1_000) / done.count,
  };
}

/** Headers and body of a delivery. */
async function aRequest(tenants, template, sink, env) {
  await addEvents(tenants, template, 1);
  const worker = await start('dist/src/worker/main.js', [], env);
  await arrived(sink, 1);
  await stop(worker);
  return (await ask(sink, 'report')).sample;
}

/** Rate of the pool, and CPU time per request in µs. */
async function sendBare(sink, sample) {
  const sender = await start('bench/bare-sender.mjs', [sink.url, EVENTS / 2, CONCURRENCY], {});
  pin(sender.child.pid, FIRST_CORE);
  return new Promise((resolve) => {
    sender.child.removeAllListeners('exit').once('message', resolve);
    sender.child.send(sample);
  });
}

async function spent(worker, postmaster) {
  return { cpu: await cpuMs(worker.child.pid), databaseCpu: await cpuMsOfAll(postmaster) };
}

/** Milliseconds from commit to first attempt of events committed one by one, in order. */
async function steadily(tenants, template, sink, env) {
  process.stderr.write(`deliveries: ${RATE}/s for ${RATE_SECONDS} s\n`);
  await ask(sink, 'watch');
  const worker = await start('dist/src/worker/main.js', [], env);
  pin(worker.child.pid, FIRST_CORE);
  await wait(2_000);
  const committed = new Map();
  const startedMs = performance.now();
  for (let i = 0; i < RATE * RATE_SECONDS; i++) {
    const [id] = await addEvents([tenants[i % tenants.length]], template, 1);
    committed.set(id, performance.timeOrigin + performance.now());
    const aheadMs = startedMs + ((i + 1) * 1_000) / RATE - performance.now();
    if (aheadMs > 1) await wait(aheadMs);
  }
  await arrived(sink, committed.size);
  const { arrivals } = await ask(sink, 'report');
  await stop(worker);
  return arrivals.map(([id, at]) => at - committed.get(id)).toSorted((a, b) => a - b);
}

/** Stops a worker after it has written its results. */
async function pause({ child }) {
  await wait(1_000);
  child.kill('SIGSTOP');
}

async function arrived(sink, count) {
  while ((await ask(sink, 'count')).count < count) await wait(20);
}

function ask({ child }, question) {
  return new Promise((resolve) => {
    child.once('message', resolve);
    child.send(question);
  });
}

/** Pins a process to the first core or to the others. Does nothing without taskset or with a single core. */
function pin(pid, cores) {
  if (CORES > 1) spawnSync('taskset', ['-a', '-p', '-c', cores, String(pid)], { stdio: 'ignore' });
}
