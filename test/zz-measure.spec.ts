import { Stage } from './worker/stage.js';
import { RecoveryRunner } from '#libs/webhooks/recovery-runner.js';
import { writeFileSync, appendFileSync, readFileSync } from 'node:fs';
let stage: Stage;
const OUT = '/tmp/h/outbox-measure4.txt';
const say = (s: string) => appendFileSync(OUT, s + '\n');
beforeAll(async () => { stage = await Stage.open(); writeFileSync(OUT, ''); });
afterAll(() => stage.close());
const N = 600_000;
it('measures', async () => {
  const tenant = await stage.platform.tenant();
  const eps = [];
  for (let i = 0; i < 10; i++) eps.push(await stage.endpoint(tenant, `http://127.0.0.1:9/h${i}`));
  // 29 days back partitions
  await stage.sql(`select data.make_partition(p, k, d::date) from (values ('events','id'),('webhook_deliveries','id'),('webhook_attempts','delivery_id')) t(p,k), generate_series((now() - interval '29 days')::date, (now() - interval '1 day')::date, interval '1 day') d`);
  say('partitions ' + new Date().toISOString());
  await stage.sql(`insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope, sequence, dispatched_at)
    select $1, (lpad(to_hex((extract(epoch from at)*1000)::bigint),12,'0')||'7'||substr(md5(n::text),1,3)||'8'||substr(md5(n::text),4,15))::uuid,
     case n%4 when 0 then 'sales.deal.created' when 1 then 'sales.deal.won' when 2 then 'sales.deal.updated' else 'sales.lead.created' end, 1, at, 'sales.deal', 'subj'||(n%50000), '{"id":"x","data":{"pad":"'||repeat(md5(n::text),30)||'"}}', n, at
    from (select n, date_trunc('milliseconds', now() - interval '29 days' + n * (interval '29 days' / ${N})) as at from generate_series(1, ${N}) n) s`, [tenant.id]);
  await stage.sql(`update data.event_sequences set last=${N} where tenant_id=$1`, [tenant.id]);
  say('events ' + new Date().toISOString());
  await stage.sql(`insert into data.webhook_deliveries (tenant_id,id,event_id,endpoint_id,event_type,schema_version,payload_mode,subject_type,subject_id,sequence,status,attempts,attempt_count,created_at,delivered_at)
    select tenant_id, id, id, ($2::uuid[])[1+sequence%10], type, 1, 'full', subject_type, subject_id, sequence,
      case when sequence%100 < 2 then 'exhausted' when sequence%1000=500 then 'held' when sequence%1000=501 then 'skipped' when sequence > ${N}-500 then 'pending' when sequence%2000=700 then 'retrying' else 'delivered' end, 1,1, occurred_at, case when sequence%100 < 2 or sequence%1000 in (500,501) or sequence > ${N}-500 or sequence%2000=700 then null else occurred_at end
    from data.events where tenant_id=$1 and sequence is not null`, [tenant.id, eps.map((e) => e.id)]);
  await stage.sql(`insert into data.webhook_queue (tenant_id,delivery_id,endpoint_id,subject_id,sequence,retry,due_at) select tenant_id,id,endpoint_id,subject_id,sequence,status='retrying',now()+interval '1 hour' from data.webhook_deliveries where status in ('pending','retrying') and tenant_id=$1`, [tenant.id]);
  await stage.sql(`insert into data.webhook_stats (tenant_id, endpoint_id, minute, delivered, failed, durations) select $1, e, m, 10, 1, '{}' from unnest($2::uuid[]) e, generate_series(date_trunc('minute', now()) - interval '30 days', now(), interval '1 minute') m`, [tenant.id, eps.map((e) => e.id)]);
  await stage.sql('vacuum analyze data.webhook_deliveries'); await stage.sql('vacuum analyze data.events'); await stage.sql('vacuum analyze data.webhook_attempts'); await stage.sql('vacuum analyze data.webhook_queue'); await stage.sql('vacuum analyze data.webhook_stats');
  say('ready ' + new Date().toISOString());
  const time = async (name: string, path: string, method = 'GET', body?: unknown) => {
    const ms: number[] = []; let last: any;
    for (let i = 0; i < (method === 'GET' ? 8 : 1); i++) { const t = performance.now(); last = await tenant.api.send(method, path, body); ms.push(performance.now() - t); }
    say(`${name}: ${ms.map((m) => m.toFixed(0)).join(' ')} ms -> ${last.status} ${JSON.stringify(last.body).slice(0, 300)}`);
    return last;
  };

  await time('bulk replay exhausted', '/api/admin/outbox', 'POST', { action: 'replay', filter: { status: ['exhausted'] } });
  await time('bulk skip', '/api/admin/outbox', 'POST', { action: 'skip', filter: { status: ['pending'] }, reason: 'x' });
}, 900_000);
