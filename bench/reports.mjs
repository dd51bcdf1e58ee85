// npm run bench -- reports: reports over the deals of one tenant under row-level security, for a key with all rights and
// for a member who sees one of two workspaces. One connection; medians. BENCH_DEALS changes the number of deals.
import pg from 'pg';
import { generateKey } from '../dist/libs/auth/api-key.js';
import { SYSTEM_ROLE_IDS } from '../dist/libs/auth/roles.js';
import { uuidv7 } from '../dist/libs/kernel/id.js';
import { prepareData } from './data.mjs';
import { median, start } from './measure.mjs';
import { withSite } from './site.mjs';

const DEALS = Number(process.env.BENCH_DEALS ?? 1_000_000);
const REQUESTS = Number(process.env.BENCH_REQUESTS ?? 7);
const GOAL_MS = 2_000;
const COUNT = { aggregate: 'count' };
const SUM = { aggregate: 'sum', field: 'valueMinor' };

/** Reports that read every deal. */
const REPORTS = {
  'count and sum by stage': { dimensions: [{ field: 'stage' }], measures: [COUNT, SUM] },
  'count and sum by month': { dimensions: [{ field: 'createdAt', bucket: 'month' }], measures: [COUNT, SUM] },
  'five figures by stage and quarter': {
    dimensions: [{ field: 'stage' }, { field: 'createdAt', bucket: 'quarter' }],
    measures: [COUNT, SUM, ...['avg', 'min', 'max'].map((aggregate) => ({ aggregate, field: 'valueMinor' }))],
  },
};

await withSite(async ({ folder, newDatabase }) => {
  const adminUrl = await newDatabase();
  process.stderr.write(`Seeding ${DEALS} deals in one tenant ...\n`);
  const data = await prepareData(adminUrl, folder, DEALS + 1_000, { small: 1_000 });
  const member = await addMember(adminUrl, data.tenantId);
  const { url } = await start('dist/src/api/main.js', [], data.env);
  const rows = {};
  for (const [name, report] of Object.entries(REPORTS))
    rows[name] = {
      'all rights, ms': await medianMs(url, report, data.apiKey, DEALS),
      'one workspace, ms': await medianMs(url, report, member, DEALS / 2),
      goal: GOAL_MS,
    };
  console.table(rows);
});

/** A key of a member of one of two workspaces, between which the deals are divided. */
async function addMember(adminUrl, tenantId) {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const [own, other, member, credential] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  const { text, keyId, hash } = generateKey('api_key');
  for (const [sql, ...values] of [
    [
      `insert into data.workspaces (tenant_id, id, name, created_at) values ($1, $2, 'Own', now()), ($1, $3, 'Other', now())`,
      ...[tenantId, own, other],
    ],
    [
      `insert into data.memberships (tenant_id, id, email, name, status, created_at)
       values ($1, $2, 'bob@bench.example', 'Bob', 'active', now())`,
      ...[tenantId, member],
    ],
    [
      `insert into data.role_assignments (tenant_id, membership_id, role_id, granted_at) values ($1, $2, $3, now())`,
      ...[tenantId, member, SYSTEM_ROLE_IDS.member],
    ],
    [
      `insert into data.workspace_members (tenant_id, workspace_id, membership_id, workspace_role, added_at, added_by)
       values ($1, $2, $3, 'member', now(), '{"type": "system", "id": null, "name": "bench"}')`,
      ...[tenantId, own, member],
    ],
    [
      `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
         allow_protected, allowed_cidrs, created_at, member_id)
       values ($1, $2, 'api_key', $3, $1, 'Bob', $4, '{*}', false, '{}', now(), $5)`,
      ...[credential, tenantId, keyId, hash, member],
    ],
    [
      `update data.sales_deals set workspace_id = case when value_minor % 2 = 0 then $2::uuid else $3::uuid end
       where tenant_id = $1`,
      ...[tenantId, own, other],
    ],
  ])
    await client.query(sql, values);
  await client.query('vacuum (full, analyze) data.sales_deals');
  await client.query('vacuum data.sales_deals');
  await client.end();
  return text;
}

async function medianMs(url, report, key, expected) {
  const times = [];
  for (let i = 0; i <= REQUESTS; i++) {
    const startedMs = performance.now();
    const response = await fetch(`${url}/api/reports/query`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ recordType: 'sales.deal', ...report }),
    });
    const { rows, detail } = await response.json();
    if (response.status !== 200) throw new Error(`The report responds with ${response.status}: ${detail}`);
    if (i > 0) times.push(performance.now() - startedMs); // the first one warms up
    const counted = rows.reduce((sum, { values }) => sum + values.count, 0);
    if (counted !== expected) throw new Error(`The report counts ${counted} deals, not ${expected}.`);
  }
  return Math.round(median(times));
}
