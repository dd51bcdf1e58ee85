create or replace function data.make_partition(parent text, key text, day date)
  returns boolean
  language plpgsql
  set search_path = pg_catalog
as $$
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
end
$$;
