create or replace function directory.is_service_key(wanted uuid)
  returns boolean
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select exists (select 1 from directory.credentials
  where tenant_id = current_setting('app.tenant_id')::uuid and wanted in (id, lineage_id)
    and kind = 'api_key' and member_id is null and revoked_at is null)
$$;
