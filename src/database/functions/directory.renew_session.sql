create or replace function directory.renew_session(session uuid, key text, secret bytea, factors text[], signed_in timestamp with time zone, second_factor timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.sessions s set methods = factors, authenticated_at = signed_in, multi_factor_at = second_factor
  where s.tenant_id = current_setting('app.tenant_id')::uuid and s.credential_id = session;
update directory.credentials c set key_id = coalesce(key, c.key_id), secret_hash = coalesce(secret, c.secret_hash)
  where c.tenant_id = current_setting('app.tenant_id')::uuid and c.id = session and c.kind = 'session'
$$;
