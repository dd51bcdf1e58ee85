// The baseline: Fastify and pg running the same queries on the same tables and nothing else. No credentials, no
// row-level security (it connects as the superuser), no permissions, limits, validation, audit of the caller or log.
import fastify from 'fastify';
import pg from 'pg';
import { uuidv7 } from '../dist/libs/kernel/id.js';
import { deals } from '../dist/src/areas/sales/deals/deal.js';
import { pageOf } from '../dist/libs/resource/types/record.dto.js';
import { serializerSchemaOf } from '../dist/libs/http/schema.js';

const [url, tenant, pipeline, columns] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });
const keep = (text) => text;
pg.types.setTypeParser(1184, (text) => `${text.slice(0, 10)}T${text.slice(11, 23)}Z`);
pg.types.setTypeParser(1082, keep);
pg.types.setTypeParser(20, Number);

const LIST = `select ${columns} from data.sales_deals t where tenant_id = $1 and deleted_at is null and archived_at is null
  order by created_at desc, id desc limit 51`;
const ITEM = `select ${columns} from data.sales_deals t where tenant_id = $1 and id = $2`;
const CREATE = `with deal as (
    insert into data.sales_deals (tenant_id, id, reference, name, version, created_at, updated_at, created_by, updated_by,
      value_minor, currency, pipeline_id, stage, status, probability, forecast_category, deal_type, source, stage_entered_at)
    values ($1, $2, $3, $4, 1, $5, $5, $6, $6, $7, 'USD', $8, 'qualification', 'open', 10, 'pipeline', 'new_business', 'other', $5)
    returning *),
  audit as (
    insert into data.audit_log (tenant_id, id, occurred_at, actor_type, actor_id, action, target_type, target_id, outcome,
      risk_level, request_id, entry, leaf_hash, details)
    values ($1, $9, $5, 'api_key', null, 'sales.deal.created', 'sales.deal', $2::text, 'success', 'low', 'bench', $10, $11, $10)),
  event as (
    insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope)
    values ($1, $12, 'sales.deal.created', 1, $5, 'sales.deal', $2::text, $10)),
  pending as (insert into data.events_pending (tenant_id, event_id) values ($1, $12))
  select ${columns} from deal t`;

const show = (row) => ({
  ...row,
  object: 'sales.deal',
  value: row.valueMinor / 100,
  weightedValueMinor: Math.round((row.valueMinor * row.probability) / 100),
  daysInStage: 0,
  isStale: false,
  allowedActions: null,
});
const actor = JSON.stringify({ type: 'api_key', id: null, name: 'bench' });
const hash = Buffer.alloc(32, 1);
let number = 0;

const app = fastify();
app.get('/list', { schema: { response: { 200: serializerSchemaOf(pageOf(deals.view)) } } }, async () => {
  const { rows } = await pool.query({ name: 'list', text: LIST, values: [tenant] });
  const hasMore = rows.length > 50;
  if (hasMore) rows.pop();
  return { data: rows.map(show), page: { limit: 50, hasMore, nextCursor: null } };
});
app.get('/item/:id', { schema: { response: { 200: serializerSchemaOf(deals.view) } } }, async (request) => {
  const { rows } = await pool.query({ name: 'item', text: ITEM, values: [tenant, request.params.id] });
  return show(rows[0]);
});
app.post('/create', { schema: { response: { 201: serializerSchemaOf(deals.view) } } }, async (request, reply) => {
  const id = uuidv7();
  const at = new Date().toISOString();
  const text = JSON.stringify({ id, ...request.body, at });
  const values = [
    tenant,
    id,
    `BARE-${process.pid}-${++number}`,
    request.body.name,
    at,
    actor,
    request.body.value * 100,
  ];
  const { rows } = await pool.query({
    name: 'create',
    text: CREATE,
    values: [...values, pipeline, uuidv7(), text, hash, uuidv7()],
  });
  return reply.code(201).send(show(rows[0]));
});
await app.listen({ port: 0, host: '127.0.0.1' });
process.send({ ready: true, url: `http://127.0.0.1:${app.server.address().port}` });
