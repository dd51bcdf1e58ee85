// What the benchmarks measure with: processes, load, CPU time, memory.
import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

const root = fileURLToPath(new URL('..', import.meta.url));
const CONNECTIONS = 16;
const children = [];

/** Follows the list to its 1,000th page. */
export async function deepCursor(url, headers) {
  let cursor = null;
  for (let page = 1; page < 250; page++) {
    const query = `limit=200${cursor ? `&cursor=${cursor}` : ''}`;
    const answer = await (await fetch(`${url}/api/v1/sales/deals?${query}`, { headers })).json();
    cursor = answer.page.nextCursor;
    if (!cursor) break;
  }
  return cursor;
}

/** Requests per second, and the CPU time of the server for each in µs. */
export async function load({ url, child }, { method = 'GET', path, headers, body, key }, seconds) {
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

/** Starts a program of the project and waits until it says where it listens. */
export function start(file, args, env) {
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
export async function cpuMs(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

/** CPU time of a process and its children so far, those that have ended too. */
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

/** Ends what {@link start} started. */
export function stopAll() {
  for (const child of children) child.kill('SIGKILL');
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}
