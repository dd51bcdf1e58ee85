// The data set of the benchmark: one tenant with 60 % of the deals, and small tenants.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { generateKey } from '../dist/libs/auth/api-key.js';
import { uuidv7 } from '../dist/libs/kernel/id.js';
import { readSettings } from '../dist/libs/config/settings.js';
import { dataSource } from '../dist/libs/database/data-source.js';
import { migrate } from '../dist/src/database/migrate.js';
import { connectionUrls } from '../dist/src/database/urls.js';
import { Table } from '../dist/libs/resource/lists/table.js';
import { MasterKeys } from '../dist/libs/sealing/master-keys.js';
import { Sealer } from '../dist/libs/sealing/sealer.js';
import { Deal } from '../dist/src/areas/sales/deals/deal.js';
import { DEFAULT_STAGES } from '../dist/src/areas/sales/pipelines/pipeline.stages.js';

const SMALL_TENANTS = 40;

/**
 * Migrates and fills a database; returns its connection and content. The main tenant has 60 % of the deals, or all but
 * `small` of them, which then belong to one other tenant; otherwise `tenants` others share the rest.
 */
export async function prepareData(adminUrl, folder, deals, { small = null, tenants = SMALL_TENANTS } = {}) {
  const { client, sealer, env } = await openDatabase(adminUrl, folder);
  const others = small === null ? tenants : 1;
  const share = small ?? Math.floor((deals * 0.4) / tenants);
  const main = await addTenant(client, sealer, 'bench', deals - share * others);
  const smallTenants = [];
  for (let i = 0; i < others; i++) smallTenants.push(await addTenant(client, sealer, `small-${i}`, share));
  await client.query('vacuum analyze');
  const { rows } = await client.query(
    `select id from data.sales_deals where tenant_id = $1 order by md5(id::text) limit 2000`,
    [main.tenantId],
  );
  const { rows: foreign } = await client.query(`select id from data.sales_deals where tenant_id = $1 limit 1`, [
    smallTenants[0].tenantId,
  ]);
  await client.end();
  return {
    ...main,
    smallApiKey: smallTenants.at(-1).apiKey,
    smallTenants,
    ids: rows.map(({ id }) => id),
    foreignId: foreign[0]?.id ?? null,
    columns: await columnsOf(adminUrl),
    env,
  };
}

/**
 * Migrates a database; returns the settings of a server. The client is a superuser, to fill it. Roles and key are new,
 * unless MASTER_KEY, DATABASE_ROLE_PREFIX, DATABASE_APP_URL and DATABASE_SYSTEM_URL specify those of the server.
 */
export async function openDatabase(adminUrl, folder) {
  const { MASTER_KEY, DATABASE_ROLE_PREFIX, DATABASE_APP_URL, DATABASE_SYSTEM_URL } = process.env;
  const masterKey = MASTER_KEY ? Buffer.from(MASTER_KEY, 'base64') : randomBytes(32);
  const settings = readSettings({
    DATABASE_URL: adminUrl,
    DATA_DIR: folder,
    MASTER_KEY: masterKey.toString('base64'),
    DATABASE_ROLE_PREFIX,
    DATABASE_APP_URL: onDatabase(DATABASE_APP_URL, adminUrl),
    DATABASE_SYSTEM_URL: onDatabase(DATABASE_SYSTEM_URL, adminUrl),
  });
  await migrate(adminUrl, settings);
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => undefined); // the database stops when seeding fails, which is reported
  await client.connect();
  const { appUrl, systemUrl } = connectionUrls(settings, adminUrl);
  return {
    client,
    sealer: new Sealer(null, new MasterKeys(masterKey)),
    env: {
      MASTER_KEY: masterKey.toString('base64'),
      DATABASE_APP_URL: appUrl,
      DATABASE_SYSTEM_URL: systemUrl,
      PORT: '0',
      DATA_DIR: folder,
    },
  };
}

/** The URL of a role on another database of the server; undefined if there is none. */
function onDatabase(url, adminUrl) {
  if (url === undefined) return undefined;
  const other = new URL(url);
  other.pathname = new URL(adminUrl).pathname;
  return other.href;
}

/** The select list of our server, so that both run the same query. */
async function columnsOf(adminUrl) {
  const source = await dataSource({
    url: adminUrl,
    entities: [Deal],
    poolSize: 1,
    applicationName: 'bench',
  }).initialize();
  const { text } = new Table(source, Deal).find('', '');
  await source.destroy();
  return /^select (.*) from /.exec(text)[1];
}

/** Inserts rows before recreating the indexes of the migrations, which takes a fraction of the time. */
export async function withoutIndexes(client, tables, fill) {
  const { rows } = await client.query(
    `select format('drop index %s', i.indexrelid::regclass) as removal, pg_get_indexdef(i.indexrelid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = any($1::text[]::regclass[]) and not c.relispartition and not exists
       (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  );
  await client.query(`set maintenance_work_mem = '1GB'`);
  for (const { removal } of rows) await client.query(removal);
  const filled = await fill();
  for (const { definition } of rows) await client.query(definition);
  return filled;
}

/** Creates a tenant with a key with all permissions, a pipeline and a number of deals. */
export async function addTenant(client, sealer, slug, deals) {
  const [tenantId, credentialId, pipelineId] = [uuidv7(), uuidv7(), uuidv7()];
  const { text: apiKey, keyId, hash } = generateKey('api_key');
  await client.query(
    `insert into directory.tenants (id, slug, name, plan, reads_per_minute, writes_per_minute, created_at)
     values ($1, $2, $2, 'enterprise', 2000000000, 2000000000, now())`,
    [tenantId, slug],
  );
  await client.query(
    `insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes, allow_protected,
       allowed_cidrs, created_at) values ($1, $2, 'api_key', $3, $1, 'bench', $4, '{*}', false, '{}', now())`,
    [credentialId, tenantId, keyId, hash],
  );
  await client.query(sealer.firstKey(tenantId));
  await client.query(
    `insert into data.sales_pipelines (tenant_id, id, reference, name, version, created_at, updated_at, created_by, updated_by,
       is_default, stages) values ($1, $2, 'PIPE-000000', 'Sales', 1, now(), now(), $3, $3, true, $4)`,
    [
      tenantId,
      pipelineId,
      JSON.stringify({ type: 'system', id: null, name: 'platform' }),
      JSON.stringify(DEFAULT_STAGES),
    ],
  );
  await client.query(
    `insert into data.sales_deals (tenant_id, id, reference, name, version, created_at, updated_at, created_by, updated_by,
       value_minor, currency, pipeline_id, stage, status, probability, forecast_category, deal_type, source, stage_entered_at)
     select $1, ('019a' || substr(md5($2::text || i), 1, 4) || '-' || substr(md5($2::text || i), 5, 4) || '-7' ||
              substr(md5($2::text || i), 9, 3) || '-8' || substr(md5($2::text || i), 12, 3) || '-' ||
              substr(md5('x' || $2::text || i), 1, 12))::uuid,
            'DEAL-' || lpad(i::text, greatest(6, length(i::text)), '0'), 'Deal number ' || i, 1, at, at, a, a, (i::bigint * 7919) % 10000000, 'USD', $2::uuid,
            s.key, 'open', s.p, 'pipeline', 'new_business', 'other', at
     from generate_series(1, $3::int) i
       cross join lateral (select now() - i * interval '7 minutes' as at,
         jsonb_build_object('type', 'api_key', 'id', $4::text, 'name', 'bench') as a) x
       cross join lateral (select (array['qualification','demo','proposal','negotiation','commit'])[1 + i % 5] as key,
         (array[10,25,50,70,90])[1 + i % 5] as p) s`,
    [tenantId, pipelineId, deals, credentialId],
  );
  await client.query(`insert into data.number_series (tenant_id, series, next) values ($1, 'sales.deal', $2)`, [
    tenantId,
    deals + 1,
  ]);
  return { tenantId, pipelineId, apiKey };
}
