create or replace function directory.add_api_key(credential uuid, key text, lineage uuid, label text, hash bytea, permitted text[], protected boolean, networks text[], made_at timestamp with time zone, ends_at timestamp with time zone, member uuid, maker uuid)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
    allow_protected, allowed_cidrs, created_at, expires_at, member_id, maker_id)
  values (credential, current_setting('app.tenant_id')::uuid, 'api_key', key, lineage, label, hash, permitted,
    protected, networks, made_at, ends_at, member, maker)
$$;
