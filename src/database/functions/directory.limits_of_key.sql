create or replace function directory.limits_of_key(wanted text)
  returns table(reads_per_minute integer, writes_per_minute integer)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select l.reads_per_minute, l.writes_per_minute from directory.credentials c
  join directory.api_key_limits l on l.tenant_id = c.tenant_id and l.lineage_id = c.lineage_id
  where c.key_id = wanted
$$;
