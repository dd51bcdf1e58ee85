import { hash, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { holds } from './site.mjs';

const DRAIN_LIMIT_MS = 60_000;
const BUSY_LIMIT_MS = 30_000;
const LAG_LIMIT_MS = 3_000;
const SAMPLE_MS = 100;
const TURN_MS = 20;
/** As in libs/proof/audit-sealer.ts. */
const LOCK_CLASS = 0x61756474;
const INSERT = `insert into data.audit_log (tenant_id, id, occurred_at, actor_type, action, outcome, risk_level, request_id,
    entry, leaf_hash, details)
  select $1, id, clock_timestamp(), 'system', 'bench.thing.done', 'success', 'low', 'bench', entry,
    sha256('\\x00'::bytea || entry::bytea), '{}'
  from (select id, to_json(id)::text as entry from unnest($2::uuid[]) id) e`;

/** Writes entries of all tenants at a rate and, once a worker has sealed for a while, kills it in the middle of sealing. */
export async function killSealer(site, { kills, rate, tenants: count, steadyMs }) {
  const tenants = await site.tenants(count);
  const writer = new Writer(site, tenants, rate);
  const watcher = await site.admin.connect(); // of its own: the others wait for those that write
  const lags = [];
  try {
    writer.start();
    let worker = await site.startWorker();
    await wait(2_000); // until it has caught up with what was written while it started
    for (const endMs = performance.now() + steadyMs; performance.now() < endMs; await wait(SAMPLE_MS))
      lags.push(await oldestMs(watcher));
    for (let kill = 0; kill < kills; kill++) {
      const giveUpMs = performance.now() + BUSY_LIMIT_MS;
      while (!(await isSealing(watcher)))
        if (performance.now() > giveUpMs) throw new Error('The worker seals nothing.');
      await worker.end('SIGKILL');
      worker = await site.startWorker();
    }
    const reached = await writer.stop();
    const drained = await holds(async () => (await pending(site)) === 0, DRAIN_LIMIT_MS);
    const found = await Promise.all(tenants.map((tenant) => examine(site, tenant)));
    lags.sort((a, b) => a - b);
    return {
      kills,
      rate: reached,
      entries: found.reduce((sum, { entries }) => sum + entries, 0),
      checkpoints: found.reduce((sum, { checkpoints }) => sum + checkpoints, 0),
      p99Ms: Math.round(lags[Math.floor(lags.length * 0.99)] ?? 0),
      broken: [...(drained ? [] : ['not everything was sealed']), ...found.flatMap(({ broken }) => broken)],
    };
  } finally {
    await writer.stop();
    watcher.release();
  }
}

async function isSealing(watcher) {
  const { rows } = await watcher.query(`select 1 from pg_locks where locktype = 'advisory' and classid = $1`, [
    LOCK_CLASS,
  ]);
  return rows.length > 0;
}

export function judgeSealerKills({ kills, rate, entries, checkpoints, p99Ms, broken }) {
  return {
    measured: `${kills} kills at ${rate}/s: ${entries} entries and ${checkpoints} checkpoints in one tree per tenant; lag p99 ${p99Ms} ms`,
    broken: [...broken, ...(p99Ms > LAG_LIMIT_MS ? ['sealed later than 3 s'] : [])],
  };
}

const pending = async (site) => (await site.rows('select count(*)::int as count from data.audit_pending'))[0].count;

/** Age of the oldest entry that is not sealed. */
async function oldestMs(watcher) {
  const { rows } = await watcher.query(
    `select coalesce(extract(epoch from clock_timestamp() - min(e.occurred_at)) * 1000, 0)::float as ms
     from data.audit_pending p join data.audit_log e on e.tenant_id = p.tenant_id and e.id = p.entry_id`,
  );
  return rows[0].ms;
}

class Writer {
  #site;
  #tenants;
  #rate;
  #running = null;
  #stopping = false;
  #written = 0;

  constructor(site, tenants, rate) {
    this.#site = site;
    this.#tenants = tenants;
    this.#rate = rate;
  }

  start() {
    this.#running = this.#run();
  }

  /** Answers the rate that was reached, per second. */
  async stop() {
    this.#stopping = true;
    return this.#running;
  }

  async #run() {
    const sinceMs = performance.now();
    const writes = [];
    while (!this.#stopping) {
      const due = Math.floor(((performance.now() - sinceMs) / 1_000) * this.#rate) - this.#written;
      for (let n = 0; n < due; n++) {
        const tenant = this.#tenants[this.#written++ % this.#tenants.length];
        writes.push(this.#site.rows(INSERT, [tenant.id, [randomUUID()]]));
      }
      await wait(TURN_MS);
    }
    await Promise.all(writes);
    return Math.round(this.#written / ((performance.now() - sinceMs) / 1_000));
  }
}

/** Counts what is in a tenant's tree and makes it again from the entries. */
async function examine(site, { id }) {
  const entries = await site.rows(
    `select n.seq::int, e.entry, encode(substr(n.hashes, 1, 32), 'hex') as leaf
     from data.audit_log e full join data.audit_tree n on n.tenant_id = e.tenant_id and n.entry_id = e.id
     where coalesce(e.tenant_id, n.tenant_id) = $1 order by n.seq`,
    [id],
  );
  const checkpoints = await site.rows(
    `select size::int, encode(root_hash, 'hex') as root from data.audit_checkpoints where tenant_id = $1 order by size`,
    [id],
  );
  const leaves = entries.map(({ entry }) => hash('sha256', `\0${entry}`, 'buffer'));
  const broken = [
    entries.some(({ seq }, index) => seq !== index + 1) && 'a gap or an entry without a number',
    entries.some(({ leaf }, index) => leaf !== leaves[index].toString('hex')) && 'a leaf of another entry',
    checkpoints.at(-1)?.size !== entries.length && 'no checkpoint of the whole tree',
    checkpoints.some(({ size, root }) => root !== treeHash(leaves, 0, size).toString('hex')) && 'another tree',
  ];
  return { entries: entries.length, checkpoints: checkpoints.length, broken: broken.filter(Boolean) };
}

/** `Source:` RFC 6962 section 2.1. */
function treeHash(leaves, from, to) {
  if (to - from === 1) return leaves[from];
  let k = 1;
  while (k * 2 < to - from) k *= 2;
  const children = [treeHash(leaves, from, from + k), treeHash(leaves, from + k, to)];
  return hash('sha256', Buffer.concat([Buffer.from([1]), ...children]), 'buffer');
}
