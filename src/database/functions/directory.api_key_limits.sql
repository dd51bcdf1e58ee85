create or replace function directory.api_key_limits(wanted uuid)
  returns table(id uuid, reads_per_minute integer, writes_per_minute integer)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select lineage_id, l.reads_per_minute, l.writes_per_minute from directory.api_key_limits l
  where l.tenant_id = current_setting('app.tenant_id')::uuid and (wanted is null or l.lineage_id = wanted)
$$;
