// Products that a retention policy deletes, each with a comment and an audit entry.
import { call } from './site.mjs';

const PRODUCTS = '/api/v1/sales/products';
const RETENTION = '/api/admin/retention';

const COMMENTS = `
  insert into data.comments (tenant_id, id, version, created_at, created_by, object, record_id, body, visibility,
    mentions, author_id, updated_at, updated_by)
  select c.tenant_id, uuidv7(), c.version, c.created_at, c.created_by, c.object, p.id, c.body, c.visibility, c.mentions,
    c.author_id, c.updated_at, c.updated_by
  from data.comments c join data.sales_products p on p.tenant_id = c.tenant_id and p.id <> c.record_id
  where c.tenant_id = $1 and c.record_id = $2`;
const ENTRIES = `
  insert into data.audit_log (tenant_id, id, occurred_at, actor_type, action, target_type, target_id, outcome, risk_level,
    request_id, entry, leaf_hash, details)
  select tenant_id, id, occurred_at, 'system', 'sales.product.created', 'sales.product', target_id, 'success', 'low', 'seed',
    entry, sha256('\\x00'::bytea || convert_to(entry, 'UTF8')), '{"targetName":"Licence","changes":{}}'
  from (select tenant_id, uuidv7() as id, now() as occurred_at, id::text as target_id, to_json(id)::text as entry
    from data.sales_products where tenant_id = $1 and id <> $2) p`;

/** Creates products that were last changed 100 days ago. Returns their ids in ascending order. */
export async function expiredProducts(site, api, tenant, count) {
  await site.rows('update directory.credentials set allow_protected = true where tenant_id = $1', [tenant.id]);
  const { body } = await send(api, tenant, PRODUCTS, { name: 'Licence' }, 201);
  await send(api, tenant, `${PRODUCTS}/${body.id}/comments`, { body: 'A remark' }, 201);
  await copy(site, 'data.sales_products', body.id, count - 1);
  await site.rows(COMMENTS, [tenant.id, body.id]);
  await site.rows(ENTRIES, [tenant.id, body.id]);
  const old = `update data.sales_products set created_at = now() - interval '100 days', updated_at = now() - interval '100 days'
    where tenant_id = $1 returning id`;
  const rows = await site.rows(old, [tenant.id]);
  for (const table of ['sales_products', 'comments', 'audit_log']) await site.rows(`vacuum analyze data.${table}`);
  return rows.map(({ id }) => id).toSorted();
}

/** Places a hold on records. */
export function hold(api, tenant, objectIds) {
  return act(api, tenant, { action: 'place_hold', name: 'Matter', reason: 'Lawsuit', scope: { objectIds } });
}

/** Starts a run that deletes the expired products; returns the id of its job. */
export async function startRun(api, tenant) {
  const { id } = await act(api, tenant, { object: 'sales.product', retainDays: 30, enabled: false });
  return (await act(api, tenant, { action: 'run_now', id, confirm: true })).jobId;
}

/** Copies a record, with another id and reference. */
async function copy(site, table, id, count) {
  const [{ names }] = await site.rows(
    `select string_agg(quote_ident(attname), ', ') as names from pg_attribute where attrelid = $1::regclass
       and attnum > 0 and not attisdropped and attgenerated = '' and attname not in ('id', 'reference')`,
    [table],
  );
  await site.rows(
    `insert into ${table} (id, reference, ${names}) select uuidv7(), reference || '-' || n, ${names}
     from ${table}, generate_series(1, $2::int) n where id = $1`,
    [id, count],
  );
}

async function act(api, tenant, body) {
  return (await send(api, tenant, RETENTION, body, 200)).body;
}

async function send(api, tenant, path, body, expected) {
  const answer = await call(api, tenant, 'POST', path, body);
  if (answer.status !== expected) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}
