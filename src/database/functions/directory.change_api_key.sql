create or replace function directory.change_api_key(lineage uuid, label text, permitted text[], protected boolean, networks text[], ends_at timestamp with time zone, at timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.credentials c set name = label, scopes = permitted, allow_protected = protected,
    allowed_cidrs = networks, expires_at = case when exists (
      select from directory.credentials n where n.tenant_id = c.tenant_id and n.lineage_id = lineage
        and (n.created_at, n.id) > (c.created_at, c.id)) then least(c.expires_at, ends_at) else ends_at end
  where c.tenant_id = current_setting('app.tenant_id')::uuid and kind = 'api_key' and c.lineage_id = lineage and c.revoked_at is null
    and (c.expires_at is null or c.expires_at > at)
$$;
