create or replace function directory.key_credentials(keys uuid[])
  returns setof uuid
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select c.id from directory.credentials c where c.tenant_id = current_setting('app.tenant_id')::uuid and kind = 'api_key' and c.lineage_id = any(keys)
$$;
