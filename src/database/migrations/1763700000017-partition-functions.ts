import type { QueryRunner } from 'typeorm';
import { DAYS_AHEAD } from '#libs/database/day-partitions.js';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** Tables that are partitioned by day, in the order in which a day's partitions are dropped. */
const PARTITIONED = ['webhook_attempts', 'webhook_deliveries', 'event_numbers', 'events'] as const;

/** Minimum retention that the database enforces, in days. */
const MIN_DAYS_KEPT = 7;

/**
 * Creates the partition of a day, and moves rows that arrived earlier out of the default partition. A delivery is
 * written a second time, with its result, so the fill factor leaves room for that. All other rows are written once.
 */
export const MAKE_PARTITION = `
  create or replace function data.make_partition(parent text, key text, day date) returns boolean language plpgsql
     set search_path = pg_catalog as $$
   declare
     name text := format('%s_%s', parent, to_char(day, 'YYYYMMDD'));
     span text := format('%I >= %L and %I < %L', key, data.first_id(day), key, data.first_id(day + 1));
     written text := (select string_agg(quote_ident(attname), ', ') from pg_attribute
       where attrelid = to_regclass('data.' || parent) and attnum > 0 and not attisdropped and attgenerated = '');
   begin
     if to_regclass('data.' || name) is not null then return false; end if;
     execute format('create table data.%I (like data.%I including defaults including constraints including generated including storage)', name, parent);
     execute format('alter table data.%I enable row level security', name);
     execute format('alter table data.%I set (%s)', name,
       'fillfactor = ' || case parent when 'webhook_deliveries' then 50 else 100 end ||
      ', autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02');
     execute format('with moved as (delete from data.%I where %s returning *) insert into data.%I (%s) select %s from moved',
       parent || '_default', span, name, written, written);
     execute format('alter table data.%I attach partition data.%I for values from (%L) to (%L)',
       parent, name, data.first_id(day), data.first_id(day + 1));
     return true;
   end $$`;

/** Creates the partitions of coming days and drops those of expired days. */
export const KEEP_PARTITIONS = `
  create or replace function data.keep_partitions(kept_days integer) returns integer language plpgsql security definer
     set search_path = pg_catalog set lock_timeout = '200ms' as $$
   declare
     today date := (now() at time zone 'UTC')::date;
     parent record;
     old text;
     changed integer := 0;
   begin
     if kept_days < ${MIN_DAYS_KEPT} then raise exception 'at least ${MIN_DAYS_KEPT} days are kept' using errcode = '22023'; end if;
     perform pg_advisory_xact_lock(7463552);
     for parent in select c.relname::text as name, a.attname::text as key
       from unnest(array[${PARTITIONED.map((name) => `'${name}'`).join(', ')}]) with ordinality as t (name, place)
         join pg_class c on c.oid = to_regclass('data.' || t.name) and c.relkind = 'p'
         join pg_partitioned_table p on p.partrelid = c.oid
         join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
       order by t.place
     loop
       for i in -1..${DAYS_AHEAD} loop
         if data.make_partition(parent.name, parent.key, today + i) then changed := changed + 1; end if;
       end loop;
       for old in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = to_regclass('data.' || parent.name) and c.relname ~ '_[0-9]{8}$'
           and to_date(right(c.relname, 8), 'YYYYMMDD') < today - kept_days
       loop
         execute format('drop table data.%I', old);
         changed := changed + 1;
       end loop;
       execute format('delete from data.%I where %I < %L',
         parent.name || '_default', parent.key, data.first_id(today - kept_days));
     end loop;
     return changed;
   end $$`;

/*
 * A partition contains the rows of one day (UTC). The first 48 bits of a UUIDv7 are milliseconds, so a range of ids is
 * a range of time, and the primary key needs no further column. Only the owner may access a partition directly; access
 * through the table is subject to the table's policies.
 */
const FUNCTIONS = [
  `create function data.first_id(day date) returns uuid language sql immutable set search_path = pg_catalog
     return (lpad(to_hex((extract(epoch from day) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`,
  MAKE_PARTITION,
  KEEP_PARTITIONS,
];

/**
 * Creates the functions that create and drop partitions. The worker may run the last one, with the rights of the owner.
 */
export async function partitionFunctions(runner: QueryRunner): Promise<void> {
  const { owner, system } = migrationRoles();
  for (const text of FUNCTIONS) await runner.query(text);
  for (const signature of ['first_id(date)', 'make_partition(text, text, date)', 'keep_partitions(integer)'])
    await runner.query(`revoke all on function data.${signature} from public`);
  await runner.query(`grant execute on function data.keep_partitions(integer) to ${owner}, ${system}`);
  await runner.query(`grant execute on function data.first_id(date) to ${system}`);
}
