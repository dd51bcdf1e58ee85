// npm run bench -- audit: the audit log of a tenant with a million entries: p95 of the list for each filter, what the
// indexes of the filters cost an insert, and time and memory of an export. BENCH_AUDIT_ENTRIES changes the number.
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { openDatabase, Site } from './faults/site.mjs';

const ENTRIES = Number(process.env.BENCH_AUDIT_ENTRIES ?? 1_000_000);
const BATCH = 50_000;
const REQUESTS = 40;
const LOG = '/api/admin/audit-logs';
const DAY_MS = 86_400_000;
const DROP = `drop index data.audit_log_actor_id_idx, data.audit_log_action_idx, data.audit_log_target_type_idx,
  data.audit_log_client_ip_idx, data.audit_log_request_id_idx, data.audit_log_correlation_id_idx,
  data.audit_log_workspace_id_idx, data.audit_log_outcome_idx, data.audit_log_risk_level_idx,
  data.audit_log_actor_type_idx, data.audit_log_search_idx`;

/** One in a thousand entries has rare values; every request id is used by two entries. */
const INSERT = `
  insert into data.audit_log (tenant_id, id, occurred_at, actor_type, actor_id, action, target_type, target_id, outcome,
    risk_level, request_id, correlation_id, workspace_id, client_ip, entry, leaf_hash, details)
  select $1, id, at, case when rare then 'scim' else 'api_key' end, actor, action, type, 'target-' || n % 5000,
    case when rare then 'denied' else 'success' end, case when rare then 'high' else 'low' end, 'request-' || n / 2,
    'request-' || n / 2, case when rare then id end, '10.0.' || n % 200 || '.' || (n / 200) % 200, entry,
    sha256('\\x00'::bytea || convert_to(entry, 'UTF8')), '{"targetName":"Record ' || n || ' of customer ' || n % 700
      || '","reason":null,"changes":{"name":{"from":"before ' || n || '","to":"after ' || n || '"}}}'
  from (
    select *, json_build_object('action', action, 'actor', json_build_object('id', actor, 'name',
      case when rare then 'Rare Person' else 'Integration ' || n % 40 end, 'type', 'api_key'), 'allowedBy', null, 'id', id,
      'occurredAt', at, 'outcome', 'success', 'requestId', 'request-' || n / 2, 'riskLevel', 'low', 'target', null,
      'tenantId', $1::uuid)::text as entry
    from (
      select n, rare, uuidv7() as id, now() - (($4::int - n) || ' seconds')::interval as at,
        case when rare then 'actor-rare' else 'actor-' || n % 40 end as actor,
        case when rare then 'core.secret.rotated' else (array['sales.deal.updated', 'work.task.created',
          'finance.invoice.issued'])[1 + n % 3] end as action,
        case when rare then 'core.secret' else (array['sales.deal', 'work.task', 'finance.invoice'])[1 + n % 3] end as type
      from (select n, n % 1000 = 7 as rare from generate_series($2::int, $3::int) n) numbers) made) rows`;

const database = await openDatabase();
const site = new Site(database);
try {
  const [tenant, scratch] = await site.tenants(2);
  await site.rows('update directory.credentials set allow_protected = true');
  await site.rows(`set maintenance_work_mem = '256MB'`);
  const seeded = await timed(async () => {
    for (let from = 1; from <= ENTRIES; from += BATCH)
      await site.rows(INSERT, [tenant.id, from, Math.min(from + BATCH - 1, ENTRIES), ENTRIES]);
  });
  console.log(`seeded ${ENTRIES} entries in ${Math.round(seeded / 1000)} s`);
  await site.rows('vacuum analyze data.audit_log');
  const api = await site.api();
  await filters(api, tenant);
  await inserts(scratch);
  const sealed = await timed(() => sealAll());
  await site.rows('vacuum analyze data.audit_tree');
  console.log(`sealed in ${Math.round(sealed / 1000)} s`);
  for (const share of [0.1, 1]) await exported(api, tenant, share);
} finally {
  await site.close();
  await database.close();
}

async function filters({ url }, { apiKey }) {
  const [{ workspace_id: workspaceId }] = await site.rows(
    'select workspace_id from data.audit_log where workspace_id is not null limit 1',
  );
  const at = (share) => new Date(Date.now() - ENTRIES * share * 1_000).toISOString();
  const middle = `request-${Math.floor(ENTRIES / 4)}`;
  const rows = {};
  for (const query of [
    '',
    ...['actorId=actor-7', 'actorId=actor-rare', 'actorId=nobody', 'actorType=scim', 'actorType=api_key'],
    ...['action=sales.deal.updated', 'action=core.secret.rotated', 'action=core.*', 'action=no.such.*'],
    ...['targetType=core.secret', 'targetType=nothing', 'targetId=target-77', 'outcome=denied', 'outcome=failed'],
    ...['riskLevel=high', `workspaceId=${workspaceId}`, `requestId=${middle}`, `correlationId=${middle}`],
    ...['ip=10.0.7.7', 'ip=10.9.9.9', `from=${at(0.5)}`, `to=${at(0.9)}`],
    ...['q=customer', 'q=rare', 'q=record%20of%20customer%20333', 'q=nowhere', 'q=rotated', 'q=integration%2011'],
  ]) {
    const times = [];
    for (let n = 0; n < REQUESTS; n++)
      times.push(
        await timed(async () => {
          const response = await fetch(`${url}${LOG}?limit=50&${query}`, { headers: { 'x-api-key': apiKey } });
          if (response.status !== 200) throw new Error(await response.text());
          await response.arrayBuffer();
        }),
      );
    times.sort((a, b) => a - b);
    const ms = (share) => Math.round(times[Math.floor((times.length - 1) * share)] * 10) / 10;
    rows[query || '(none)'] = { p50: ms(0.5), p95: ms(0.95) };
  }
  console.table(rows);
}

/** Time per entry with and without the indexes of the filters, alternately, in the log of another tenant. */
async function inserts({ id }) {
  const rows = { with: [], without: [] };
  const client = await site.admin.connect();
  for (let round = 0; round < 5; round++)
    for (const kind of ['with', 'without']) {
      await client.query('begin');
      if (kind === 'without') await client.query(DROP);
      const ms = await timed(() => client.query(INSERT, [id, 1, 5_000, 5_000]));
      await client.query('rollback');
      rows[kind].push((ms / 5_000) * 1_000);
    }
  client.release();
  for (const [kind, found] of Object.entries(rows)) {
    found.sort((a, b) => a - b);
    console.log(`an entry ${kind} these indexes: ${Math.round(found[2])} µs (median of 5 runs)`);
  }
}

async function sealAll() {
  await site.startWorker();
  while ((await site.rows('select 1 from data.audit_pending limit 1')).length > 0) await wait(500);
  await site.endWorkers();
}

async function exported({ url, pid }, { apiKey }, share) {
  const from = new Date(Date.now() - Math.min(ENTRIES * share * 1_000, 365 * DAY_MS)).toISOString();
  const to = new Date(Date.now() + DAY_MS / 2).toISOString();
  let [bytes, lines, highest] = [0, 0, 0];
  const ms = await timed(async () => {
    const response = await fetch(`${url}${LOG}/export?format=ndjson&from=${from}&to=${to}`, {
      headers: { 'x-api-key': apiKey },
    });
    if (response.status !== 200) throw new Error(await response.text());
    for await (const chunk of response.body) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === 10) lines++;
      highest = Math.max(highest, rssMb(pid));
    }
  });
  console.log(
    `export of ${lines - 1} entries: ${Math.round(ms / 1000)} s, ${Math.round(bytes / 1e6)} MB, API at most ${highest} MB resident`,
  );
}

function rssMb(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);
}

async function timed(work) {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}
