import { setTimeout as wait } from 'node:timers/promises';
import { memoryMb } from '../measure.mjs';
import { getText, RawClient } from './raw-clients.mjs';
import { call, holds } from './site.mjs';

const DEALS = '/api/v1/sales/deals';
const PROBE_PAUSE_MS = 20;
const DRIP_MS = 200;
const LOOK_MS = 100;
const GROWTH_LIMIT_MB = 1_024;
/** A list this long is some 250 KB, so that a few of them are more than the buffers of a connection take. */
const ROWS = 200;
const CUT_LIMIT_MS = 60_000;

/**
 * One API process under clients that do nothing, send slowly, read slowly, or ask for far more than it can do, while a
 * tenant that does none of this asks for something again and again.
 *
 * @param idle connections that do nothing
 * @param slow clients of each slow kind
 * @param burst requests at once, for each place that the process has
 * @param seconds that a burst lasts, at least
 */
export async function overload(site, { idle, slow, burst, seconds, places, timeoutSeconds }) {
  const [quiet, loud, ...crowd] = await site.tenants(12);
  const api = await site.startApi({
    MAX_REQUESTS: String(places),
    CLIENT_TIMEOUT_SECONDS: String(timeoutSeconds),
    DATABASE_POOL_SIZE: '10',
  });
  await fill(api, loud);
  const stage = { api, quiet, limitMs: timeoutSeconds * 1_000 + CUT_LIMIT_MS };
  const figures = {
    calm: await beside(stage, () => wait(seconds * 1_000)),
    idle: await beside(stage, () => stayIdle(api, loud, idle)),
    headers: await beside(stage, () => outlast(stage, slow, (client) => dripHeaders(client))),
    bodies: await beside(stage, () => outlast(stage, slow, (client) => dripBody(client, api, loud))),
    readers: await beside(stage, () => outlast(stage, slow, (client) => leaveUnread(client, api, loud))),
    flood: await beside(stage, () => flood(api, [loud], burst * places, seconds)),
    burst: await beside(stage, () => flood(api, [loud, ...crowd], burst * places, seconds)),
    after: await beside(stage, () => wait(seconds * 1_000)),
  };
  return { ...figures, survived: api.isAlive };
}

async function fill(api, tenant) {
  for (let made = 0; made < ROWS; made += 20)
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => call(api, tenant, 'POST', DEALS, { name: `Deal ${made + i}` })),
    );
}

/** Has the other tenant read and write while something goes on; how it fared, and what the process took. */
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

/** Half of the connections have never said anything, the other half have asked once. */
async function stayIdle(api, tenant, count) {
  const used = await RawClient.openMany(api, count / 2, (client) => client.ask(getText(api, tenant, '/health/live')));
  const silent = await RawClient.openMany(api, count / 2);
  const open = [...silent, ...used].filter(({ ended }) => !ended).length;
  await wait(1_000);
  for (const client of [...silent, ...used]) client.close();
  return { open, asked: used.filter(({ statuses }) => statuses[0] === 200).length };
}

/** Clients that go on in their slow way until the server has closed their connections; how many it did not. */
async function outlast({ api, limitMs }, count, behave) {
  const clients = await RawClient.openMany(api, count);
  let isOver = false;
  const behaving = clients.map(async (client) => {
    for (const step = await behave(client); !isOver && !client.ended; await wait(DRIP_MS)) step();
  });
  await holds(() => clients.every(({ ended }) => ended), limitMs);
  isOver = true;
  const left = clients.filter(({ ended }) => !ended).length;
  for (const client of clients) client.close();
  await Promise.all(behaving);
  return { clients: count, left };
}

function dripHeaders(client) {
  client.write('GET /health/live HTTP/1.1\r\nhost: platform\r\nx-slow: ');
  return () => client.write('x');
}

function dripBody(client, { url }, { apiKey }) {
  client.write(
    `POST ${DEALS} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-api-key: ${apiKey}\r\n` +
      'content-type: application/json\r\ncontent-length: 1000000\r\n\r\n{',
  );
  return () => client.write(' '.repeat(1_000));
}

/** Asks for more and more; only when it writes does a client that reads nothing see that it was cut. */
function leaveUnread(client, api, tenant) {
  const text = getText(api, tenant, `${DEALS}?limit=${ROWS}`);
  client.stall();
  return () => client.write(text.repeat(5));
}

/** Clients that ask again as soon as they are answered, whatever the answer. */
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
  const { calm, idle, headers, bodies, readers, flood: one, burst: all, after, survived } = figures;
  const kinds = { calm, idle, headers, bodies, readers, flood: one, after };
  const grownMb = Math.max(...[...Object.values(kinds), all].map((each) => each.mostMb)) - calm.mostMb;
  const fared = Object.entries({ ...kinds, burst: all }).map(([name, { served, refused, failed, p95Ms, mostMb }]) => {
    return `${name} ${served}${refused + failed > 0 ? ` (not ${refused + failed})` : ''}, p95 ${p95Ms} ms, ${mostMb} MB`;
  });
  return {
    measured:
      `${idle.open} idle connections; of ${headers.clients} slow clients of each kind ` +
      `${[headers, bodies, readers].map(({ left }) => left).join(', ')} not cut; ${one.atOnce} requests at once of one tenant: ${one.done} done, ` +
      `${one.turnedAway} refused; of 12 tenants: ${all.done} done (${all.doneRate}/s), ${all.turnedAway} refused; ` +
      `${calm.mostMb} MB when calm and ${grownMb} MB more at most; another tenant's requests served: ${fared.join('; ')}`,
    broken: [
      !survived && 'the process ended',
      ...Object.entries(kinds).map(
        ([name, { refused, failed }]) => refused + failed > 0 && `others not served: ${name}`,
      ),
      all.failed > 0 && 'others not answered in the burst',
      all.served === 0 && 'nobody else served in the burst',
      [headers, bodies, readers].some(({ left }) => left > 0) && 'slow clients left',
      [one, all].some(({ otherwise, cut }) => otherwise + cut > 0) &&
        'answers that are neither 200 nor 503 with Retry-After',
      grownMb > GROWTH_LIMIT_MB && `${grownMb} MB more than when calm`,
    ].filter(Boolean),
  };
}
