// Tools of the benchmarks: processes, load, CPU time, memory.
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { NODE_FLAGS } from '../dist/src/platform/node-flags.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const CONNECTIONS = 16;
/** How often the load generator counts at most, and for an amount, ms. It ends only when it counts. */
const [LONGEST_SAMPLE_MS, SHORT_SAMPLE_MS] = [1_000, 100];
const children = [];

/** The cursor of the 1,000th page of 50, or of the last page. */
export async function deepCursor(url, headers) {
  let cursor = null;
  for (let page = 1; page < 250; page++) {
    const query = `limit=200${cursor ? `&cursor=${cursor}` : ''}`;
    const answer = await (await fetch(`${url}/api/v1/sales/deals?${query}`, { headers })).json();
    if (!answer.page.nextCursor) break;
    cursor = answer.page.nextCursor;
  }
  return cursor;
}

/** Requests per second, and the CPU time of the server per request in µs. */
export function load(server, request, seconds) {
  return fire(server, [request], { duration: seconds });
}

/** The same for several requests in turn, until a `duration` in seconds has passed or an `amount` was sent. */
export async function fire({ url, child }, requests, until) {
  const before = await cpuMs(child.pid);
  const sampleInt = until.duration ? Math.min(until.duration * 1_000, LONGEST_SAMPLE_MS) : SHORT_SAMPLE_MS;
  const result = await autocannon({
    ...{ url, connections: CONNECTIONS, sampleInt, ...until },
    requests: requests.map(prepared),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} rejected, ${result.errors} errors`);
  const spentMs = (await cpuMs(child.pid)) - before;
  return { rate: (result.requests.average * 1_000) / sampleInt, cpuUs: (spentMs * 1000) / result.requests.total };
}

/** A request for the load generator; functions are called for each request. */
function prepared({ method = 'GET', path, headers, body, key }) {
  const dynamic = (request) => ({
    ...request,
    ...(typeof path === 'function' ? { path: path() } : {}),
    ...(body ? { body: body() } : {}),
    ...(key ? { headers: { ...headers, 'idempotency-key': key() } } : {}),
  });
  const isDynamic = typeof path === 'function' || body !== undefined;
  return { ...dynamic({ method, path, headers }), ...(isDynamic ? { setupRequest: dynamic } : {}) };
}

/** List, item and create of a tenant, `{ apiKey, ids }`, for `fire`. */
export function workOf({ apiKey, ids }) {
  const headers = { 'x-api-key': apiKey };
  const path = '/api/v1/sales/deals';
  return {
    list: { path: `${path}?limit=50`, headers },
    item: { path: () => `${path}/${ids[Math.floor(Math.random() * ids.length)]}`, headers },
    create: {
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': 'application/json' },
      body: () => JSON.stringify({ name: `Deal ${randomBytes(6).toString('hex')}`, value: 1234.5 }),
    },
  };
}

/** Starts a program of the project and waits until it reports its URL. */
export function start(file, args, env) {
  return new Promise((resolve, reject) => {
    const child = fork(join(root, file), args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: NODE_FLAGS,
    });
    children.push(child);
    child.once('message', ({ url }) => resolve({ child, url }));
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
}

/** CPU time of a process so far, user and system. */
export async function cpuMs(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** CPU time of a process and its children so far, including exited ones. */
export async function cpuMsOfAll(pid) {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  const running = await Promise.all(
    [pid, ...children.split(' ').filter(Boolean)].map((each) => cpuMs(each).catch(() => 0)),
  );
  return running.reduce((sum, ms) => sum + ms, (Number(user) + Number(system)) * 10);
}

/** Resident memory of a process. */
export async function memoryMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? NaN) / 1024;
}

/** Stops a program started by {@link start} gracefully. */
export function stop({ child }) {
  return new Promise((resolve) => {
    child.removeAllListeners('exit').once('exit', resolve);
    child.kill('SIGTERM');
  });
}

/** Stops everything started by {@link start}. */
export function stopAll() {
  for (const child of children) child.kill('SIGKILL');
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
