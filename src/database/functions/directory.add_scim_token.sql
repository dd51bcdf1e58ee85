create or replace function directory.add_scim_token(token uuid, config uuid, key text, label text, hash bytea, made_at timestamp with time zone, ends_at timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
    allow_protected, allowed_cidrs, created_at, expires_at)
  values (token, current_setting('app.tenant_id')::uuid, 'scim_token', key, config, label, hash, '{}', false, '{}',
    made_at, ends_at)
$$;
