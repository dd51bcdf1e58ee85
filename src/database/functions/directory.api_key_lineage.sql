create or replace function directory.api_key_lineage(wanted uuid)
  returns uuid
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select lineage_id from directory.credentials
  where tenant_id = current_setting('app.tenant_id')::uuid and wanted in (id, lineage_id) and kind = 'api_key'
  limit 1
$$;
