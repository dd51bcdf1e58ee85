create or replace function directory.end_oauth_grants(ended uuid[], at timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.credentials c set revoked_at = at
  where c.tenant_id = current_setting('app.tenant_id')::uuid and c.kind = 'oauth_token' and c.lineage_id = any(ended) and c.revoked_at is null
$$;
