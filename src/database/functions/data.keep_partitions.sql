create or replace function data.keep_partitions(kept_days integer)
  returns integer
  language plpgsql
  security definer
  set search_path = pg_catalog
  set lock_timeout = '200ms'
as $$
declare
  today date := (now() at time zone 'UTC')::date;
  parent record;
  old text;
  changed integer := 0;
begin
  if kept_days < 7 then raise exception 'at least 7 days are kept' using errcode = '22023'; end if;
  perform pg_advisory_xact_lock(7463552);
  for parent in select c.relname::text as name, a.attname::text as key
    from unnest(array['webhook_attempts', 'webhook_deliveries', 'event_numbers', 'events']) with ordinality as t (name, place)
      join pg_class c on c.oid = to_regclass('data.' || t.name) and c.relkind = 'p'
      join pg_partitioned_table p on p.partrelid = c.oid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
    order by t.place
  loop
    for i in -1..14 loop
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
end
$$;
