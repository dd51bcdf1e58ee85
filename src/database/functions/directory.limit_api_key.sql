create or replace function directory.limit_api_key(lineage uuid, reads integer, writes integer)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.api_key_limits (tenant_id, lineage_id, reads_per_minute, writes_per_minute)
  values (current_setting('app.tenant_id')::uuid, lineage, reads, writes)
  on conflict (tenant_id, lineage_id) do update
    set reads_per_minute = excluded.reads_per_minute, writes_per_minute = excluded.writes_per_minute
$$;
