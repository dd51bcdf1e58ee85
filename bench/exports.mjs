// npm run bench -- exports: exports of all deals of one tenant, in each format, by one worker. Records per second from the
// request until the file is ready, and the worker's peak memory, also for a tenth of the deals: it may not grow with them.
// In one more export the worker is killed halfway, and another one goes on; the file must have each deal once.
// BENCH_DEALS changes the number of deals, BENCH_FORMATS the formats.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { generateKey } from '../dist/libs/auth/api-key.js';
import { SYSTEM_ROLE_IDS } from '../dist/libs/auth/roles.js';
import { uuidv7 } from '../dist/libs/kernel/id.js';
import { prepareData } from './data.mjs';
import { start, stop } from './measure.mjs';
import { withSite } from './site.mjs';

const DEALS = Number(process.env.BENCH_DEALS ?? 1_000_000);
const FORMATS = (process.env.BENCH_FORMATS ?? 'csv,ndjson,xlsx').split(',');
const FIELDS = 'reference,name,status,stage,valueMinor,currency,probability,ownerId,createdAt,updatedAt';
const GOAL = 20_000;
const WORKER = 'dist/src/worker/main.js';

await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  process.stderr.write(`Seeding ${DEALS} deals in one tenant ...\n`);
  const few = Math.floor(DEALS / 10);
  const data = await prepareData(adminUrl, folder, DEALS + few, { small: few });
  const keys = [await addOwner(adminUrl, data.tenantId), await addOwner(adminUrl, data.smallTenants[0].tenantId)];
  const env = { ...data.env, PORT: '0' };
  const { url } = await start('dist/src/api/main.js', [], env);
  const [api, smallApi] = keys.map((key) => clientOf(url, key));
  const rows = {};
  for (const [name, query, formats] of [
    ['ten fields', { fields: FIELDS }, FORMATS],
    ['all fields', {}, FORMATS.slice(0, 1)],
  ])
    for (const format of formats) {
      process.stderr.write(`${name}, ${format} ...\n`);
      const less = await measured(smallApi, env, { format, query });
      const all = await measured(api, env, { format, query });
      rows[`${name}, ${format}`] = {
        'records/s': Math.round(all.perSecond),
        goal: GOAL,
        'peak memory, MB': Math.round(all.peakMb),
        'of a tenth, MB': Math.round(less.peakMb),
        'file, MB': Math.round(all.sizeBytes / 1e6),
      };
    }
  console.table(rows);
  process.stderr.write('An export whose worker is killed ...\n');
  console.table([await killed(api, env)]);
});

/** An export by a worker of its own. */
async function measured(api, env, order) {
  const worker = await start(WORKER, [], env);
  await sleep(2_000);
  const startedMs = performance.now();
  const id = await api.request(order);
  const done = await api.ready(id);
  const seconds = (performance.now() - startedMs) / 1_000;
  const peakMb = await peakMbOf(worker.child.pid);
  await stop(worker);
  return { perSecond: done.rowCount / seconds, peakMb, sizeBytes: done.sizeBytes };
}

/** An export whose worker is killed halfway. */
async function killed(api, env) {
  const dying = await start(WORKER, [], env);
  const id = await api.request({ format: 'csv', query: { fields: 'name' } });
  const { jobId } = await api.get(`/api/exports/${id}`);
  const isHalf = async () => {
    const { progress } = await api.get(`/api/operations/jobs/${jobId}`);
    return progress.done > DEALS / 2;
  };
  while (!(await isHalf())) await sleep(50);
  dying.child.removeAllListeners('exit');
  dying.child.kill('SIGKILL');
  const living = await start(WORKER, [], env);
  const done = await api.ready(id);
  const file = Buffer.from(await api.download(done.url));
  const ids = file.toString('latin1').split('\r\n').slice(1, -1).map((line) => line.slice(0, 36)); // prettier-ignore
  await stop(living);
  return {
    records: ids.length,
    twice: ids.length - new Set(ids).size,
    'of the list': DEALS,
    'file as announced': createHash('sha256').update(file).digest('hex') === done.sha256,
  };
}

function clientOf(url, key) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const call = async (method, path, body) => {
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const get = async (path) => (await call('GET', path)).json();
  return {
    get,
    request: async (body) => (await (await call('POST', '/api/exports', { type: 'sales.deal', ...body })).json()).id,
    download: async (path) => (await call('GET', path)).arrayBuffer(),
    ready: async (id) => {
      for (;;) {
        const row = await get(`/api/exports/${id}`);
        if (row.status === 'ready') return row;
        if (row.finishedAt) throw new Error(`The export is ${row.status}: ${JSON.stringify(row.error)}`);
        await sleep(100);
      }
    },
  };
}

/** The most memory that a process has had so far. */
async function peakMbOf(pid) {
  return Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/** A key of a member who may read all deals. */
async function addOwner(adminUrl, tenantId) {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const [member, credential] = [uuidv7(), uuidv7()];
  const { text, keyId, hash } = generateKey('api_key');
  await client.query(
    `insert into data.memberships (tenant_id, id, email, name, status, created_at)
     values ($1, $2, 'ada@bench.example', 'Ada', 'active', now())`,
    [tenantId, member],
  );
  await client.query(
    `insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at) values ($1, $2, $3, now())`,
    [tenantId, member, SYSTEM_ROLE_IDS.owner],
  );
  await client.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
       allow_protected, allowed_cidrs, created_at, member_id)
     values ($1, $2, 'api_key', $3, $1, 'Ada', $4, '{*}', false, '{}', now(), $5)`,
    [credential, tenantId, keyId, hash, member],
  );
  await client.end();
  return text;
}
