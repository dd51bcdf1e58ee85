// npm run faults: kills the worker again and again while deals are created, and counts what reaches the receiver.
// Prints events lost (0 is the promise), duplicates (deliveries of an event that had arrived before, with the same
// webhook-id) and the longest time from the answer of the create to the first arrival.
import { fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { prepareData } from './data.mjs';

const DEALS = Number(process.env.FAULTS_DEALS ?? 1_000);
const KILLS = Number(process.env.FAULTS_KILLS ?? 20);
const DRAIN_LIMIT_MS = 60_000;
const root = fileURLToPath(new URL('..', import.meta.url));
const { startEmbeddedPostgres } = await import('../dist/libs/embedded/server.js');

const folder = mkdtempSync(join(tmpdir(), 'platform-faults-'));
const arrivals = new Map();
const receiver = createServer((request, response) => {
  request.resume().on('end', () => {
    const id = request.headers['webhook-id'];
    const seen = arrivals.get(id);
    if (seen) seen.count += 1;
    else arrivals.set(id, { at: Date.now(), count: 1, type: request.headers['x-service-event'] });
    response.writeHead(204).end();
  });
});
await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));

const database = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
const children = new Set();
let worker = null;
try {
  const data = await prepareData(database.url, folder, 0);
  const env = { ...data.env, WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8', LOG_LEVEL: 'error' };
  const { url } = await start('dist/src/api/main.js', env);
  const headers = { 'x-api-key': data.apiKey, 'content-type': 'application/json' };
  const send = (path, body) => fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const target = `http://127.0.0.1:${receiver.address().port}/hooks`;
  const endpoint = await send('/api/webhooks/endpoints', { url: target, eventTypes: ['sales.deal.created'] });
  if (endpoint.status !== 201) throw new Error(`The endpoint was refused: ${await endpoint.text()}`);

  let creating = true;
  const killing = killAgainAndAgain(env, () => creating);
  const created = new Map();
  for (let i = 0; i < DEALS; i++) {
    const answer = await send('/api/sales/deals', { name: `Deal ${i}`, value: i });
    if (answer.status !== 201) throw new Error(`A create answered ${answer.status}: ${await answer.text()}`);
    created.set((await answer.json()).id, Date.now());
    await wait(35);
  }
  creating = false;
  const kills = await killing;
  const deadline = Date.now() + DRAIN_LIMIT_MS;
  while (arrivals.size < DEALS && Date.now() < deadline) await wait(100);
  report(await eventsOf(database.url, data.tenantId), created, kills);
} finally {
  for (const child of children) child.kill('SIGKILL');
  receiver.close();
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Which event belongs to which deal, from the outbox itself. */
async function eventsOf(url, tenantId) {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `select id, subject_id, sequence from data.events where tenant_id = $1 and type = 'sales.deal.created'`,
    [tenantId],
  );
  await client.end();
  return rows;
}

function report(events, created, kills) {
  const lost = events.filter(({ id }) => !arrivals.has(id));
  const duplicates = [...arrivals.values()].reduce((sum, { count }) => sum + count - 1, 0);
  const delays = events
    .filter(({ id }) => arrivals.has(id))
    .map(({ id, subject_id }) => arrivals.get(id).at - created.get(subject_id))
    .toSorted((a, b) => a - b);
  console.table({
    'deals created': created.size,
    'events in the outbox': events.length,
    'kill -9 of the worker': kills,
    'events lost': lost.length,
    'duplicates (same webhook-id)': duplicates,
    'median delay, ms': delays[Math.floor(delays.length / 2)],
    'longest delay, ms': delays.at(-1),
  });
  if (lost.length > 0 || events.length !== created.size) process.exitCode = 1;
}

async function killAgainAndAgain(env, goOn) {
  let kills = 0;
  worker = await start('dist/src/worker/main.js', env);
  while (goOn() && kills < KILLS) {
    await wait(500 + Math.random() * 1_500);
    worker.child.kill('SIGKILL');
    kills += 1;
    worker = await start('dist/src/worker/main.js', env);
  }
  return kills;
}

function start(file, env) {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] };
    const child = fork(join(root, file), [], options);
    children.add(child);
    child.once('message', ({ url }) => resolve({ child, url }));
    child.once('exit', (code) => {
      children.delete(child);
      if (code) reject(new Error(`${file} ended with ${code}`));
    });
  });
}
