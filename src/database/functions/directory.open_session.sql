create or replace function directory.open_session(session uuid, key text, secret bytea, member uuid, person uuid, label text, address text, agent text, factors text[], signed_in timestamp with time zone, second_factor timestamp with time zone, idle integer, until timestamp with time zone, at timestamp with time zone, browser boolean)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.credentials (id, tenant_id, kind, key_id, lineage_id, name, secret_hash, scopes,
    allow_protected, allowed_cidrs, created_at, expires_at, member_id)
  values (session, case when member is not null then current_setting('app.tenant_id')::uuid end, 'session', key,
    session, label, secret, array['*'], false, array[]::text[], at, until, member);
insert into directory.sessions (credential_id, tenant_id, member_id, user_id, ip, user_agent, methods,
    authenticated_at, multi_factor_at, idle_seconds, expires_at, created_at, in_browser)
  values (session, case when member is not null then current_setting('app.tenant_id')::uuid end, member, person,
    address, agent, factors, signed_in, second_factor, idle, until, at, browser)
$$;
