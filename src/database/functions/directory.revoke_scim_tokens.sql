create or replace function directory.revoke_scim_tokens(config uuid, at timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.credentials set revoked_at = at where tenant_id = current_setting('app.tenant_id')::uuid and kind = 'scim_token' and lineage_id = config and revoked_at is null
$$;
