import { setTimeout as wait } from 'node:timers/promises';
import { ATTEMPTS } from '../../dist/libs/webhooks/sending/first-attempt.js';
import { brokenIn, Load, reckon } from './load.mjs';
import { Receiver } from './receiver.mjs';
import { holds, subscribe } from './site.mjs';

const DRAIN_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;
/** Attempts that must be in flight when a worker is stopped. */
const OPEN = 3;
const BUSY_LIMIT_MS = 30_000;
/** Longer than a stopping worker can wait for a response. */
const STUBBORN_MS = 12_000;
const RECORD_LIMIT_MS = 5_000;
const LEASED = `
  select (select count(*) from data.webhook_queue where lease_token is not null and tenant_id = any($1::uuid[]))::int
    + (select count(*) from data.webhook_sending s cross join json_array_elements(s.entries) e
      where s.tenant_id = any($1::uuid[])
        and not exists (select 1 from data.webhook_deliveries d where d.id = (e->>0)::uuid))::int as leases`;
const RECORDED = `select delivery_id, number from ${ATTEMPTS} a where tenant_id = any($1::uuid[])`;

/**
 * Stops the worker several times with SIGTERM during attempts. While workers are stopped, one receiver responds within
 * three seconds and the other later than a worker can wait; afterwards both respond immediately.
 *
 * No attempt is cut in half means: each request reaches the receiver in full; the worker waits for a response that
 * arrives within three seconds; an attempt with a response is recorded once and not repeated; an attempt abandoned by
 * the worker after its maximum wait is repeated with the same `webhook-id`.
 */
export async function stopWorkers(site, { stops, rate, tenants: count }) {
  const [one, ...tenants] = await site.tenants(count + 1);
  const ids = [[one, ...tenants].map(({ id }) => id)];
  let stopping = true;
  const patient = await Receiver.start(() => (stopping ? Math.random() * 3_000 : 0));
  const stubborn = await Receiver.start(() => (stopping ? STUBBORN_MS : 0));
  try {
    const api = await site.api();
    await subscribe(api, tenants, patient.url);
    await subscribe(api, [one], stubborn.url, { timeoutMs: 30_000 });
    const [load, few] = [new Load(api, tenants, rate).start(), new Load(api, [one], 1).start()];
    const ends = [];
    for (let stop = 0; stop < stops; stop++) {
      const worker = await site.startWorker();
      const isBusy = await holds(() => patient.open >= OPEN && stubborn.open >= 1, BUSY_LIMIT_MS);
      if (!isBusy) throw new Error('The worker does not start working.');
      await wait(Math.random() * 500);
      ends.push({ ...(await worker.end('SIGTERM')), ...(await site.rows(LEASED, ids))[0] });
    }
    stopping = false;
    await Promise.all([load.stop(), few.stop()]);
    await site.startWorker();
    const figures = await reckon(site, patient, load, tenants, DRAIN_LIMIT_MS);
    const late = await reckon(site, stubborn, few, [one], DRAIN_LIMIT_MS);
    const requests = [...patient.requests, ...stubborn.requests];
    await holds(() => patient.open + stubborn.open === 0, STUBBORN_MS * 2);
    return {
      stops,
      slowestMs: Math.max(...ends.map(({ ms }) => ms)),
      failures: ends.filter(({ code }) => code !== 0).length,
      /** Deliveries that would block others after a stop. */
      leases: ends.reduce((sum, { leases }) => sum + leases, 0),
      /** Requests abandoned by the worker although their response was in time. */
      cut: patient.requests.filter(({ left }) => left).length,
      ...figures,
      lost: figures.lost + late.lost,
      ...(await account(site, requests, ids)),
    };
  } finally {
    await patient.close();
    await stubborn.close();
  }
}

/** Compares the received requests with the recorded attempts, once the last results are written. */
async function account(site, requests, ids) {
  const answered = requests.filter(({ answeredMs }) => answeredMs !== null);
  const keyOf = (deliveryId, attempt) => `${deliveryId} ${attempt}`;
  const unrecorded = async () => {
    const rows = await site.rows(RECORDED, ids);
    const recorded = new Set(rows.map(({ delivery_id, number }) => keyOf(delivery_id, number)));
    return answered.filter(({ deliveryId, attempt }) => !recorded.has(keyOf(deliveryId, attempt))).length;
  };
  await holds(async () => (await unrecorded()) === 0, RECORD_LIMIT_MS);
  const answeredIds = new Set(answered.map(({ id }) => id));
  return {
    requests: requests.length,
    left: requests.filter(({ left }) => left).length,
    /** Requests that arrived only in part. */
    halves: requests.filter(({ whole }) => !whole).length,
    /** Requests with a response that are not recorded. */
    unrecorded: await unrecorded(),
    /** Requests repeated although an earlier one had a response. */
    repeated: answered.length - answeredIds.size,
    /** Requests abandoned by the worker and never repeated. */
    abandoned: requests.filter(({ id }) => !answeredIds.has(id)).length,
  };
}

export function judgeWorkerStops(figures) {
  const { stops, slowestMs, failures, leases, cut, requests, left, halves, unrecorded, repeated, abandoned } = figures;
  return {
    measured:
      `${stops} stops, slowest ${slowestMs} ms; of ${requests} requests ${halves} arrived in part, ${cut} cut, ${unrecorded} unrecorded, ` +
      `${repeated} repeated, ${left - cut} left after 8 s and all but ${abandoned} made again`,
    broken: [
      ...brokenIn(figures),
      slowestMs >= STOP_LIMIT_MS && 'a stop took 10 s or more',
      leases > 0 && `${leases} deliveries not released`,
      failures > 0 && `${failures} stops did not end with exit code 0`,
      halves > 0 && 'requests that arrived in part',
      cut > 0 && 'attempts cut in half',
      unrecorded > 0 && 'attempts with a response that are not recorded',
      repeated > 0 && 'attempts with a response that were repeated',
      abandoned > 0 && 'abandoned attempts that were not repeated',
    ].filter(Boolean),
  };
}
