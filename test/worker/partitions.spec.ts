import pg from 'pg';
import { Database } from '#libs/database/database.js';
import { statement } from '#libs/database/statement.js';
import { DAY_MS } from '#libs/kernel/durations.js';
import { uuidv7 } from '#libs/kernel/id.js';
import { RetentionUpkeep } from '#libs/webhooks/retention-upkeep.js';
import { Stage, type TestEndpoint } from './stage.js';
import type { TestTenant } from '../harness/platform.js';

/** The partitioned tables, with their date column. */
const KEYS = {
  events: 'id',
  event_numbers: 'event_id',
  webhook_deliveries: 'id',
  webhook_attempts: 'delivery_id',
};
const TABLES = Object.keys(KEYS);
let stage: Stage;
let tenant: TestTenant;
let endpoint: TestEndpoint;
beforeAll(async () => {
  stage = await Stage.open();
  tenant = await stage.platform.tenant();
  endpoint = await stage.endpoint(tenant, (await stage.receiver()).url);
});
afterEach(() => stage.stopWorkers());
afterAll(() => stage.close());

/**
 * Inserts an event some days old with its number, its delivery and an attempt, and an entry in the queue. Returns their
 * common id.
 */
async function history(daysAgo: number): Promise<string> {
  const hex = Math.floor(Date.now() - daysAgo * DAY_MS)
    .toString(16)
    .padStart(12, '0');
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}${uuidv7().slice(13)}`;
  const values = [tenant.id, id, endpoint.id];
  await stage.sql(
    `with event as (
       insert into data.events (tenant_id, id, type, schema_version, occurred_at, subject_type, subject_id, envelope)
       values ($1, $2, 'sales.deal.created', 1, now(), 'sales.deal', $3, '{}'))
     insert into data.event_numbers (tenant_id, sequence, event_id, numbered_at) values ($1, 1, $2, now())`,
    values,
  );
  await stage.sql(
    `insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, schema_version, payload_mode,
       subject_type, subject_id, sequence, status, created_at)
     values ($1, $2, $2, $3, 'sales.deal.created', 1, 'full', 'sales.deal', 'x', 1, 'pending', now())`,
    values,
  );
  await stage.sql(
    `insert into data.webhook_attempts (tenant_id, delivery_id, number, endpoint_id, cause, started_at, duration_ms)
     values ($1, $2, 1, $3, 'schedule', now(), 1)`,
    values,
  );
  await stage.sql(
    `insert into data.webhook_queue (tenant_id, delivery_id, endpoint_id, subject_id, sequence, due_at)
     values ($1, $2, $3, 'x', 1, now() + interval '1 day')`,
    values,
  );
  return id;
}

/** The partition of each row with an id. */
async function homes(id: string): Promise<string[]> {
  const found: string[] = [];
  for (const [table, key] of Object.entries(KEYS)) {
    const rows = await stage.sql<{ home: string }>(
      `select tableoid::regclass::text as home from data.${table} where ${key} = $1`,
      [id],
    );
    found.push(...rows.map(({ home }) => home.replace(`data.${table}_`, '')));
  }
  return found;
}

const eachIn = (home: string) => TABLES.map(() => home);

const dayOf = (daysAgo: number) =>
  new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');

describe('data partitioned by day', () => {
  it('is stored in the partition of the day of its event, created in advance', async () => {
    await (await stage.idleWorker()).get(RetentionUpkeep).sweep(); // otherwise a day that started after the migration lacks one
    const id = await history(0);
    expect(await homes(id)).toEqual(eachIn(dayOf(0)));
    const rows = await stage.sql<{ n: number }>(
      `select count(*)::integer as n from pg_class where relispartition and relname ~ ('_' || $1 || '$') and relkind = 'r'`,
      [dayOf(-14)],
    );
    expect(rows).toEqual([{ n: TABLES.length }]);
  });

  it('is dropped with its day after the retention period, and nothing newer is', async () => {
    const upkeep = (await stage.idleWorker()).get(RetentionUpkeep);
    const [old, kept] = [await history(40), await history(29)];
    for (const [table, key] of Object.entries(KEYS))
      for (const days of [40, 29])
        await stage.sql(`select data.make_partition($1, $2, ((now() at time zone 'UTC')::date - $3::integer))`, [
          table,
          key,
          days,
        ]);
    // These rows were in the default partitions, because partitions of past days are never created.
    expect(await homes(old)).toEqual(eachIn(dayOf(40)));
    await upkeep.sweep();
    expect(await homes(old)).toEqual([]);
    expect(await homes(kept)).toEqual(eachIn(dayOf(29)));
    const queued = await stage.sql<{ delivery_id: string }>(
      `select delivery_id from data.webhook_queue where delivery_id = any($1::uuid[])`,
      [[old, kept]],
    );
    expect(queued.map((row) => row.delivery_id)).toEqual([kept]);
    const parts = await stage.sql(`select 1 from pg_class where relname like '%' || $1`, [dayOf(40)]);
    expect(parts).toEqual([]);
  });

  it('moves from the default partition to that of its day, with an extended statement timeout', async () => {
    const upkeep = (await stage.idleWorker()).get(RetentionUpkeep);
    for (const table of TABLES) await stage.sql(`drop table data.${table}_${dayOf(-14)}`);
    const id = await history(-14);
    expect(await homes(id)).toEqual(eachIn('default'));
    await stage.sql('create table public.seen (limit_was text)');
    await stage.sql(
      `create function public.see() returns trigger language plpgsql security definer as
         $$ begin insert into public.seen values (current_setting('statement_timeout')); return old; end $$`,
    );
    await stage.sql(
      'create trigger see before delete on data.events_default for each row execute function public.see()',
    );
    await upkeep.sweep();
    expect(await homes(id)).toEqual(eachIn(dayOf(-14)));
    expect(await stage.sql('select limit_was from public.seen')).toEqual([{ limit_was: '10min' }]);
    expect(await stage.sql(`select 1 from pg_class where relname like '%\\_late'`)).toEqual([]);
    await stage.sql('drop table public.seen');
    await stage.sql('drop function public.see() cascade');
  });

  it('leaves room next to a delivery for its second row version with the result', async () => {
    await (await stage.idleWorker()).get(RetentionUpkeep).sweep();
    const ids = Array.from({ length: 60 }, () => uuidv7());
    await stage.sql(
      `insert into data.webhook_deliveries (tenant_id, id, event_id, endpoint_id, event_type, schema_version, payload_mode,
         subject_type, subject_id, sequence, status, created_at)
       select $1, id, id, $2, 'sales.deal.created', 1, 'full', 'sales.deal', 'x', 1, 'pending', now() from unnest($3::uuid[]) as id`,
      [tenant.id, endpoint.id, ids],
    );
    const pages = () =>
      stage.sql(
        `select id, (ctid::text::point)[0] as page from data.webhook_deliveries where id = any($1::uuid[]) order by id`,
        [ids],
      );
    const before = await pages();
    await stage.sql(
      `update data.webhook_deliveries set status = 'delivered', delivered_at = now() where id = any($1::uuid[])`,
      [ids],
    );
    expect(await pages()).toEqual(before);
  });

  it('is no longer blocked by an unnumbered event of that age', async () => {
    const upkeep = (await stage.idleWorker()).get(RetentionUpkeep);
    const [old, kept] = [await history(40), await history(29)];
    await stage.sql('insert into data.events_pending (tenant_id, event_id) select $1, unnest($2::uuid[])', [
      tenant.id,
      [old, kept],
    ]);
    await upkeep.sweep();
    expect(
      await stage.sql('select event_id from data.events_pending where event_id = any($1::uuid[])', [[old, kept]]),
    ).toEqual([{ event_id: kept }]);
    await stage.sql('delete from data.events_pending where event_id = $1', [kept]);
  });

  it('is no longer set aside at that age', async () => {
    const upkeep = (await stage.idleWorker()).get(RetentionUpkeep);
    const [old, kept] = [await history(40), await history(29)];
    await stage.sql(
      `insert into data.events_set_aside (tenant_id, event_id, sequence, attempts, error, set_aside_at)
       select $1, unnest($2::uuid[]), 1, 10, 'no way', now()`,
      [tenant.id, [old, kept]],
    );
    await upkeep.sweep();
    expect(await stage.sql('select event_id from data.events_set_aside')).toEqual([{ event_id: kept }]);
    await stage.sql('delete from data.events_set_aside');
  });

  it('is deleted from the default partition at that age', async () => {
    const upkeep = (await stage.idleWorker()).get(RetentionUpkeep);
    const id = await history(50);
    expect(await homes(id)).toEqual(eachIn('default'));
    await upkeep.sweep();
    expect(await homes(id)).toEqual([]);
  });

  it('cannot be accessed except through its table, nor dropped early, by login roles', async () => {
    await history(0);
    for (const url of [stage.platform.database.appUrl, stage.platform.database.systemUrl]) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`select set_config('app.tenant_id', $1, false)`, [tenant.id]);
      for (const table of TABLES)
        for (const part of [dayOf(0), 'default'])
          await expect(client.query(`select 1 from data.${table}_${part}`)).rejects.toThrow('permission denied');
      await expect(client.query(`select data.make_partition('events', 'id', current_date)`)).rejects.toThrow(
        'permission denied',
      );
      await client.end();
    }
    const database = (await stage.idleWorker()).get(Database);
    await expect(database.system([statement('select data.keep_partitions(6)')])).rejects.toThrow('7 days');
  });
});
