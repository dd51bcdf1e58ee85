create or replace function directory.revoke_api_key(lineage uuid, at timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.credentials set revoked_at = at
  where tenant_id = current_setting('app.tenant_id')::uuid and kind = 'api_key' and lineage_id = lineage and revoked_at is null
$$;
