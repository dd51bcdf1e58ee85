import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { call } from './site.mjs';

/** All requests are valid events, so all tables must agree. */
const PATHS = ['/api/v1/sales/deals?limit=1', '/api/v1/sales/leads?limit=1'];
/** Length of a loss that the promise allows. */
const LOSS_LIMIT_MS = 10_000;
/** A process lives this long at least, and up to as much again, so that it is killed at any point between two writes. */
const LIFE_MS = 11_000;
const PAUSE_MS = 10;

/**
 * Sends requests of several tenants to an API process, kills it with SIGKILL, reads what it has counted, and goes on
 * with the next one. The last process gets SIGTERM, and must lose nothing.
 */
export async function killAccounting(site, { requests, kills, clients, tenants: count }) {
  const tenants = await site.tenants(count);
  const lives = [];
  let before = await storedOf(site, tenants);
  for (let kill = 0; kill <= kills; kill++) {
    const isLast = kill === kills;
    const api = await site.startApi();
    const life = { sent: 0, answeredAtMs: [], stop: false, isLast };
    const quota = Math.ceil((requests - lives.reduce((sum, { sent }) => sum + sent, 0)) / (kills + 1 - kill));
    const sending = send(api, tenants, life, clients);
    const endMs = performance.now() + LIFE_MS + randomInt(LIFE_MS);
    sending.catch(() => (life.stop = true)); // awaited below
    while (!life.stop && (life.sent < quota || (!isLast && performance.now() < endMs))) await wait(PAUSE_MS);
    if (isLast) {
      life.stop = true;
      await sending;
    }
    life.endedAtMs = performance.now();
    await api.end(isLast ? 'SIGTERM' : 'SIGKILL');
    life.stop = true;
    await sending;
    const after = await storedOf(site, tenants);
    life.stored = Object.fromEntries(Object.keys(after).map((table) => [table, after[table] - before[table]]));
    before = after;
    lives.push(life);
  }
  return figuresOf(lives);
}

/** Clients that each send one request after the other until the process ends. */
async function send(api, tenants, life, clients) {
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let n = client; !life.stop; n++) {
        life.sent += 1;
        try {
          const { status } = await call(api, tenants[n % tenants.length], 'GET', PATHS[n % PATHS.length]);
          if (status !== 200) throw new Error(`A request got ${status}.`);
        } catch (error) {
          if (/got/.test(error.message)) throw error;
          return; // the process is dead, and may have counted the request or not
        }
        life.answeredAtMs.push(performance.now());
      }
    }),
  );
}

/** What the tables of accounting say about the tenants. */
async function storedOf(site, tenants) {
  const ids = [tenants.map(({ id }) => id)];
  const [stored] = await site.rows(
    `select
       (select coalesce(sum(count), 0) from data.request_stats_minute where tenant_id = any($1))::int as minutes,
       (select coalesce(sum(counted), 0) from data.request_days where tenant_id = any($1))::int as days,
       (select coalesce(sum(counted), 0) from data.request_key_days where tenant_id = any($1))::int as keys,
       (select coalesce(sum(good + bad), 0) from data.request_minutes where tenant_id = any($1))::int as events`,
    ids,
  );
  return stored;
}

function figuresOf(lives) {
  const answered = lives.reduce((sum, { answeredAtMs }) => sum + answeredAtMs.length, 0);
  const stored = lives.reduce((sum, { stored: { minutes } }) => sum + minutes, 0);
  const above = lives.filter((life) => Object.values(life.stored).some((each) => each > life.sent)).length;
  const [last] = lives.filter(({ isLast }) => isLast);
  return {
    kills: lives.length - 1,
    sent: lives.reduce((sum, { sent }) => sum + sent, 0),
    answered,
    stored,
    above,
    longestLossMs: Math.max(...lives.flatMap(lossesMs)),
    lostAtStop: last.answeredAtMs.length - Math.min(...Object.values(last.stored)),
  };
}

/** For each table, the age of the oldest response at the kill that is not in its figures. */
function lossesMs({ answeredAtMs, stored, endedAtMs, isLast }) {
  if (isLast) return [];
  return Object.values(stored).map((each) => {
    const oldest = answeredAtMs[each];
    return oldest === undefined ? 0 : Math.round(endedAtMs - oldest);
  });
}

export function judgeAccountingKills({ kills, sent, answered, stored, above, longestLossMs, lostAtStop }) {
  return {
    measured: `${kills} kills in ${sent} requests, ${answered} answered: ${stored} counted; longest loss ${longestLossMs} ms; ${lostAtStop} lost by the process that was stopped`,
    broken: [
      ...(above > 0 ? [`${above} processes counted more requests than they got`] : []),
      ...(longestLossMs > LOSS_LIMIT_MS ? [`requests of more than ${LOSS_LIMIT_MS / 1_000} s were lost`] : []),
      ...(lostAtStop !== 0 ? ['a stopped process lost requests'] : []),
    ],
  };
}
