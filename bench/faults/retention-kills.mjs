import { setTimeout as wait } from 'node:timers/promises';
import { expiredProducts, hold, startRun } from './expired-records.mjs';
import { holds } from './site.mjs';

const BUSY_LIMIT_MS = 30_000;
const FINISH_LIMIT_MS = 120_000;
const TURN_MS = 2;
const DONE = `select count(*)::int as count from data.retention_tombstones where tenant_id = $1`;
/** A step takes this lock before it deletes anything, and keeps it until it commits. */
const DELETING = `select 1 from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
  and (classid::bigint << 32 | objid::bigint) = hashtextextended('legal_hold:' || $1::uuid, 0) and (${DONE}) > $2`;

/** Kills the worker `kills` times while a step of a retention run deletes records, and lets the last worker finish. */
export async function killRetention(site, { records, held: heldCount, kills }) {
  const [tenant] = await site.tenants(1);
  const api = await site.api();
  const ids = await expiredProducts(site, api, tenant, records);
  const every = Math.floor(records / heldCount);
  const held = ids.filter((_, index) => index % every === 0).slice(0, heldCount);
  await hold(api, tenant, held);
  const jobId = await startRun(api, tenant);
  const watcher = await site.admin.connect();
  const done = [];
  try {
    for (let kill = 0; kill < kills; kill++) {
      const worker = await site.startWorker();
      await untilDeleting(watcher, tenant, done.at(-1) ?? -1);
      await worker.end('SIGKILL');
      done.push((await site.rows(DONE, [tenant.id]))[0].count);
    }
  } finally {
    watcher.release();
  }
  await site.startWorker();
  const readJob = () =>
    site.rows('select status, done::int from data.jobs where tenant_id = $1 and id = $2', [tenant.id, jobId]);
  await holds(async () => !['queued', 'running'].includes((await readJob())[0].status), FINISH_LIMIT_MS);
  const [{ status, done: affected }] = await readJob();
  return { kills, done, status, affected, ...(await examine(site, tenant, { ids, held })) };
}

export function judgeRetentionKills({ kills, done, status, affected, expected, unequal }) {
  return {
    measured: `${kills} kills, after ${done.join(', ')} of ${expected} records: ${affected} deleted once, each with one event`,
    broken: [
      status !== 'succeeded' && `the job is ${status}`,
      affected !== expected && 'another count',
      ...unequal,
    ].filter(Boolean),
  };
}

/** Waits for a step after more than `count` records were deleted. */
async function untilDeleting(watcher, { id }, count) {
  const giveUpMs = performance.now() + BUSY_LIMIT_MS;
  while ((await watcher.query(DELETING, [id, count])).rows.length === 0) {
    if (performance.now() > giveUpMs) throw new Error('The worker deletes nothing.');
    await wait(TURN_MS);
  }
  await wait(Math.random() * 200); // somewhere within the step
}

/** Compares rows, tombstones and events with what must be left. */
async function examine(site, { id: tenantId }, { ids, held }) {
  const gone = ids.filter((id) => !held.includes(id));
  const idsOf = async (text) => (await site.rows(`${text} order by 1`, [tenantId])).map(({ id }) => id);
  const found = {
    products: [await idsOf('select id from data.sales_products where tenant_id = $1'), held],
    comments: [await idsOf('select record_id as id from data.comments where tenant_id = $1'), held],
    tombstones: [await idsOf('select record_id as id from data.retention_tombstones where tenant_id = $1'), gone],
    events: [
      await idsOf(`select subject_id as id from data.events where tenant_id = $1 and type = 'core.record.purged'`),
      gone,
    ],
    'kept details of deleted records': [
      await idsOf(`select target_id as id from data.audit_log where tenant_id = $1 and target_type = 'sales.product'
        and erased_at is null`),
      held,
    ],
  };
  return {
    expected: gone.length,
    unequal: Object.entries(found)
      .filter(([, [actual, expected]]) => actual.map(String).join() !== expected.join())
      .map(([what, [actual, expected]]) => `${what}: ${actual.length} instead of ${expected.length}, or others`),
  };
}
