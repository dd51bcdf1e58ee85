create or replace function directory.issue_oauth_tokens(of_grant uuid, label text, permitted text[], member uuid, access uuid, key text, secret bytea, access_until timestamp with time zone, refresh uuid, hash bytea, refresh_until timestamp with time zone, at timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.oauth_grants g set exchanged_at = at where g.id = of_grant and g.tenant_id = current_setting('app.tenant_id')::uuid;
insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
    allow_protected, allowed_cidrs, created_at, expires_at, member_id)
  select access, g.tenant_id, 'oauth_token', key, of_grant, label, secret, permitted, false, array[]::text[], at,
    access_until, member from directory.oauth_grants g where g.id = of_grant and g.tenant_id = current_setting('app.tenant_id')::uuid;
insert into directory.oauth_tokens (id, grant_id, kind, token_hash, expires_at)
  select refresh, of_grant, 'refresh', hash, refresh_until
    from directory.oauth_grants g where g.id = of_grant and g.tenant_id = current_setting('app.tenant_id')::uuid
$$;
