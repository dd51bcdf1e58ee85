create or replace function directory.end_scim_tokens(config uuid, ends_at timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.credentials set expires_at = ends_at
  where tenant_id = current_setting('app.tenant_id')::uuid and kind = 'scim_token' and lineage_id = config and revoked_at is null and (expires_at is null or expires_at > ends_at)
$$;
