// Creates deals at a given rate, and checks them at the end.
import { setTimeout as wait } from 'node:timers/promises';
import { call, holds } from './site.mjs';

const TICK_MS = 10;
/** Maximum concurrent requests to a server that does not respond. */
const OUTSTANDING = 100;
const PATH = '/api/v1/sales/deals';

/** Creates deals through the API, tenants in turn, from `start` to `stop`. Each emits an event. */
export class Load {
  /** Ids of the deals created with 201. */
  acknowledged = new Set();
  /** Number of failed creations. */
  failed = 0;
  #api;
  #tenants;
  #rate;
  #running = null;
  #stopping = false;

  /** @param rate deals per second across all tenants */
  constructor(api, tenants, rate) {
    this.#api = api;
    this.#tenants = tenants;
    this.#rate = rate;
  }

  start() {
    this.#running = this.#run();
    return this;
  }

  /** Stops after the last response; returns the achieved rate. */
  async stop() {
    this.#stopping = true;
    return this.#running;
  }

  async #run() {
    const sinceMs = performance.now();
    const outstanding = new Set();
    let sent = 0;
    while (!this.#stopping) {
      const due = Math.floor(((performance.now() - sinceMs) * this.#rate) / 1_000);
      for (; sent < due && outstanding.size < OUTSTANDING; sent++) {
        const creation = this.#create(this.#tenants[sent % this.#tenants.length], sent);
        outstanding.add(creation);
        void creation.finally(() => outstanding.delete(creation));
      }
      await wait(TICK_MS);
    }
    const rate = this.acknowledged.size / ((performance.now() - sinceMs) / 1_000);
    await Promise.all(outstanding);
    return Math.round(rate);
  }

  async #create(tenant, number) {
    const answer = await call(this.#api, tenant, 'POST', PATH, { name: `Deal ${number}`, value: number }).catch(
      () => null,
    );
    if (answer?.status === 201) this.acknowledged.add(answer.body.id);
    else this.failed += 1;
  }
}

const EVENTS = `select id, subject_id, occurred_at from data.events
  where tenant_id = any($1::uuid[]) and type = 'sales.deal.created'`;
const COUNT = `select count(*)::int as count from data.events where tenant_id = any($1::uuid[]) and type = 'sales.deal.created'`;
const DEALS = `select count(*)::int as count from data.sales_deals where tenant_id = any($1::uuid[])`;
// Numbered from 1 without gaps: the count equals the highest number.
const MISNUMBERED = `select count(*)::int as count from (
  select e.tenant_id from data.events e
    left join data.event_numbers n on n.tenant_id = e.tenant_id and n.event_id = e.id
  where e.tenant_id = any($1::uuid[]) group by e.tenant_id
  having count(distinct sequence) <> count(*) or max(sequence) <> count(*) or min(sequence) <> 1) t`;

/** Waits until everything in the outbox has arrived, then counts. The outbox defines what must arrive. */
export async function reckon(site, receiver, load, tenants, limitMs) {
  const values = [tenants.map(({ id }) => id)];
  const [{ count }] = await site.rows(COUNT, values);
  await holds(() => receiver.arrivals.size >= count, limitMs);
  await holds(async () => (await site.rows(MISNUMBERED, values))[0].count === 0, 2_000);
  const events = await site.rows(EVENTS, values);
  const subjects = new Set(events.map(({ subject_id }) => subject_id));
  const arrived = events.filter(({ id }) => receiver.arrivals.has(id));
  const delays = arrived
    .map(({ id, occurred_at }) => receiver.arrivals.get(id).atMs - occurred_at.getTime())
    .toSorted((a, b) => a - b);
  return {
    events: events.length,
    /** In the outbox but never received. */
    lost: events.length - arrived.length,
    /** Created with 201 but not in the outbox, or a deal without an event, or an event without a deal. */
    torn:
      [...load.acknowledged].filter((id) => !subjects.has(id)).length +
      Math.abs((await site.rows(DEALS, values))[0].count - events.length),
    duplicates: arrived.reduce((sum, { id }) => sum + receiver.arrivals.get(id).count - 1, 0),
    /** Requests with an id that is not in the outbox. */
    unknown: receiver.arrivals.size - arrived.length,
    /** Tenants whose sequence has a gap or a duplicate. */
    misnumbered: (await site.rows(MISNUMBERED, values))[0].count,
    p50Ms: percentile(delays, 0.5),
    p95Ms: percentile(delays, 0.95),
    longestMs: percentile(delays, 1),
  };
}

/** Violations for any fault. */
export function brokenIn({ lost, torn, unknown, misnumbered }) {
  return [
    lost > 0 && `${lost} events lost`,
    torn > 0 && `${torn} deals without an event`,
    unknown > 0 && `${unknown} events that were never committed`,
    misnumbered > 0 && `${misnumbered} tenants with a gap in the sequence`,
  ].filter(Boolean);
}

function percentile(sorted, share) {
  return sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)] ?? 0;
}
