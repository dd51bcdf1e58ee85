import { setTimeout as wait } from 'node:timers/promises';
import { memoryMb } from '../measure.mjs';
import { getText, RawClient } from './raw-clients.mjs';
import { call, holds } from './site.mjs';

const DEALS = '/api/v1/sales/deals';
const PROBE_PAUSE_MS = 20;
const DRIP_MS = 200;
const LOOK_MS = 100;
/** A list of this length has about 250 KB, so UNREAD of them exceed the buffers of a connection. */
const ROWS = 200;
const UNREAD = 20;
/** Time allowed to read a response of ROWS, in addition to the time-out. */
const READING_MS = 4_000;
/** How long an unused connection is kept (unless the time-out is shorter), and one between requests. */
const SILENT_MS = 15_000;
const KEPT_MS = 65_000;
/** Interval of the check for slow clients, and allowance for two busy processes to act and detect it. */
const CHECK_MS = 1_000;
const NOTICE_MS = 1_000;
const OTHERS_LIMIT_MS = 1_000;
const TOKEN = 'overload-metrics';
/** Memory limit of the process, see ADR 27. */
const MEMORY = { connectionKb: 12, requestKb: 16, placeKb: 64, slowMb: 128, garbage: 2 };

/**
 * One API process under clients that are idle, send slowly, read slowly, or overload it, while another tenant sends
 * normal requests.
 *
 * @param idle number of idle connections
 * @param slow number of clients of each slow kind
 * @param burst concurrent requests per slot of the process
 * @param seconds minimum duration of a burst
 */
export async function overload(site, { idle, slow, burst, seconds, places, timeoutSeconds }) {
  const [quiet, loud, ...crowd] = await site.tenants(12);
  const api = await site.startApi({
    MAX_REQUESTS: String(places),
    CLIENT_TIMEOUT_SECONDS: String(timeoutSeconds),
    DATABASE_POOL_SIZE: '10',
    METRICS_TOKEN: TOKEN,
  });
  await fill(api, loud);
  const timeoutMs = timeoutSeconds * 1_000;
  const stage = { api, quiet, loud, slow, timeoutMs, places };
  const figures = {
    calm: await beside(stage, () => wait(seconds * 1_000)),
    idle: await beside(stage, () => stayIdle(stage, idle)),
    headers: await beside(stage, () => outlast(stage, (client) => dripHeaders(client))),
    bodies: await beside(stage, () => outlast(stage, (client) => dripBody(client, api, loud))),
    readers: await beside(stage, () => leaveUnread(stage)),
    flood: await beside(stage, () => flood(api, [loud], burst * places, seconds)),
    burst: await beside(stage, () => flood(api, [loud, ...crowd], burst * places, seconds)),
    after: await beside(stage, () => wait(seconds * 1_000)),
  };
  const slowMb = (slow * MEMORY.connectionKb + places * MEMORY.requestKb) / 1_024 + MEMORY.slowMb;
  const kbs = Math.max(idle, burst * places) * (MEMORY.connectionKb + MEMORY.requestKb) + places * MEMORY.placeKb;
  const growthLimitMb = Math.round(MEMORY.garbage * Math.max(slowMb, kbs / 1_024));
  return { ...figures, growthLimitMb, survived: api.isAlive };
}

async function fill(api, tenant) {
  for (let made = 0; made < ROWS; made += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => call(api, tenant, 'POST', DEALS, { name: `Deal ${made + i}` })),
    );
}

/** Lets the other tenant read and write during an activity; returns its results and the memory of the process. */
async function beside({ api, quiet }, work) {
  const probe = { served: 0, refused: 0, failed: 0, waits: [] };
  let mostMb = 0;
  let isOver = false;
  const probing = (async () => {
    for (let turn = 0; !isOver; turn++) {
      const sinceMs = performance.now();
      const answer = await (
        turn % 2 ? call(api, quiet, 'GET', `${DEALS}?limit=20`) : call(api, quiet, 'POST', DEALS, { name: 'Quiet' })
      ).catch(() => null);
      probe.waits.push(performance.now() - sinceMs);
      probe[answer === null || answer.status >= 500 ? (answer?.status === 503 ? 'refused' : 'failed') : 'served'] += 1;
      await wait(PROBE_PAUSE_MS);
    }
  })();
  const watching = (async () => {
    for (; !isOver; await wait(LOOK_MS)) mostMb = Math.max(mostMb, Math.round(await memoryMb(api.pid)) || 0);
  })();
  const found = await work();
  isOver = true;
  await Promise.all([probing, watching]);
  const waits = probe.waits.toSorted((a, b) => a - b);
  return { ...found, ...probe, waits: undefined, p95Ms: Math.round(waits[Math.floor(waits.length * 0.95)]), mostMb };
}

/**
 * Half of the connections have sent one request, the others none; returns how many are open and how many were closed
 * early. If opening takes long, some silent ones are already due.
 */
async function stayIdle({ api, loud, timeoutMs }, count) {
  const used = await RawClient.openMany(api, count / 2, (client) => client.ask(getText(api, loud, '/health/live')));
  const silent = await RawClient.openMany(api, count / 2);
  await wait(1_000);
  const open = [...used, ...silent].filter(({ ended }) => !ended).length;
  const cutBefore = (clients, ms) => clients.filter(({ sinceMs, endedMs }) => endedMs - sinceMs < ms).length;
  const cutEarly = cutBefore(used, KEPT_MS) + cutBefore(silent, Math.min(SILENT_MS, timeoutMs));
  for (const client of [...silent, ...used]) client.close();
  return { open, cutEarly, asked: used.filter(({ statuses }) => statuses[0] === 200).length };
}

/** Slow clients that continue until the server closes their connections after its time-out. */
async function outlast({ api, slow, timeoutMs }, behave) {
  const clients = await RawClient.openMany(api, slow);
  return outwait(
    clients.map((client) => ({ client, step: behave(client) })),
    timeoutMs,
  );
}

/**
 * Runs the steps of clients until they are disconnected; returns how many remain after the limit and the times of the
 * others.
 */
async function outwait(slow, limitMs) {
  const leftMs = limitMs + CHECK_MS + NOTICE_MS;
  const isLeft = ({ ended, sinceMs }) => !ended && performance.now() - sinceMs < leftMs;
  await Promise.all(
    slow.map(async ({ client, step }) => {
      for (; isLeft(client); await wait(DRIP_MS)) step();
    }),
  );
  const took = slow.map(({ client: { endedMs, sinceMs } }) => endedMs - sinceMs);
  for (const { client } of slow) client.close();
  const inTime = took.filter((ms) => ms <= leftMs);
  return { clients: slow.length, left: took.length - inTime.length, longestMs: Math.round(Math.max(0, ...inTime)) };
}

function dripHeaders(client) {
  client.sinceMs = performance.now();
  client.write('GET /health/live HTTP/1.1\r\nhost: platform\r\nx-slow: ');
  return () => client.write('x');
}

function dripBody(client, { url }, { apiKey }) {
  client.sinceMs = performance.now();
  client.write(
    `POST ${DEALS} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-api-key: ${apiKey}\r\n` +
      'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n{',
  );
  return () => client.write(' '.repeat(1_000));
}

/**
 * Clients that request many lists and read nothing; in batches, so that their tenant has slots for all requests. The
 * time of each counts from the last response: before that the process may have buffered nothing. A client that reads
 * nothing detects a closed connection only by writing; empty lines are not a request.
 */
async function leaveUnread({ api, loud, slow, timeoutMs, places }) {
  const clients = await RawClient.openMany(api, slow);
  const text = getText(api, loud, `${DEALS}?limit=${ROWS}`).repeat(UNREAD);
  const atOnce = Math.floor(places / 2 / UNREAD);
  const waiting = [];
  for (let first = 0; first < slow; first += atOnce) {
    const some = clients.slice(first, first + atOnce);
    for (const client of some) {
      client.stall();
      client.write(text);
    }
    await wait(DRIP_MS); // by then they have slots
    await holds(async () => (await placesTaken(api)) <= 1, timeoutMs); // one slot belongs to the other tenant
    for (const client of some) client.sinceMs = performance.now();
    waiting.push(
      outwait(
        some.map((client) => ({ client, step: () => client.write('\r\n') })),
        timeoutMs + READING_MS,
      ),
    );
  }
  const found = await Promise.all(waiting);
  return {
    clients: slow,
    left: found.reduce((sum, { left }) => sum + left, 0),
    longestMs: Math.max(...found.map(({ longestMs }) => longestMs)),
  };
}

async function placesTaken({ url }) {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } });
  return Number(/^http_places_taken (\d+)/m.exec(await answer.text())[1]);
}

/** Clients that send the next request after each response. */
async function flood(api, tenants, count, seconds) {
  const clients = await RawClient.openMany(api, count, async (client) => {
    await client.ask(getText(api, tenants[0], '/health/live'));
    client.statuses.length = 0;
  });
  const sinceMs = performance.now();
  await Promise.all(
    clients.map(async (client, i) => {
      const text = getText(api, tenants[i % tenants.length], `${DEALS}?limit=20`);
      do await client.ask(text);
      while (!client.ended && performance.now() - sinceMs < seconds * 1_000);
    }),
  );
  const lastedMs = performance.now() - sinceMs;
  const statuses = clients.flatMap((client) => client.statuses);
  const cut = clients.filter(({ ended }) => ended).length;
  for (const client of clients) client.close();
  const of = (status) => statuses.filter((each) => each === status).length;
  return {
    atOnce: count,
    answered: statuses.length,
    done: of(200),
    turnedAway: of(503),
    otherwise: statuses.length - of(200) - of(503),
    cut,
    doneRate: Math.round((of(200) * 1_000) / lastedMs),
  };
}

export function judgeOverload(figures) {
  const { calm, idle, headers, bodies, readers, flood: one, burst: all, after, growthLimitMb, survived } = figures;
  const kinds = { calm, idle, headers, bodies, readers, flood: one, after };
  const grownMb = Math.max(...[...Object.values(kinds), all].map((each) => each.mostMb)) - calm.mostMb;
  const fared = Object.entries({ ...kinds, burst: all }).map(([name, { served, refused, failed, p95Ms, mostMb }]) => {
    return `${name} ${served}${refused + failed > 0 ? ` (not ${refused + failed})` : ''}, p95 ${p95Ms} ms, ${mostMb} MB`;
  });
  const slow = [headers, bodies, readers];
  return {
    measured:
      `${idle.open} idle connections, ${idle.cutEarly} closed; of ${headers.clients} slow clients of each kind ` +
      `${slow.map(({ left }) => left).join(', ')} not closed in time, the others after ` +
      `${slow.map(({ longestMs }) => (longestMs / 1_000).toFixed(1)).join(', ')} s; ${one.atOnce} concurrent requests of one tenant: ` +
      `${one.done} done, ${one.turnedAway} rejected; of 12 tenants: ${all.done} done (${all.doneRate}/s), ${all.turnedAway} ` +
      `refused; ${calm.mostMb} MB when calm, at most ${grownMb} MB more of ${growthLimitMb}; ` +
      `another tenant's requests served: ${fared.join('; ')}`,
    broken: [
      !survived && 'the process ended',
      ...Object.entries(kinds).map(
        ([name, { refused, failed }]) => refused + failed > 0 && `others not served: ${name}`,
      ),
      ...Object.entries(kinds).map(([name, { p95Ms }]) => p95Ms > OTHERS_LIMIT_MS && `others served late: ${name}`),
      all.failed > 0 && 'others without a response in the burst',
      all.served === 0 && 'no other tenant served in the burst',
      idle.cutEarly > 0 && 'idle connections closed',
      slow.some(({ left }) => left > 0) && 'slow clients left',
      [one, all].some(({ otherwise, cut }) => otherwise + cut > 0) &&
        'responses other than 200 or 503 with Retry-After',
      grownMb > growthLimitMb && `${grownMb} MB more than when calm`,
    ].filter(Boolean),
  };
}
