create or replace function directory.open_oauth_grant(new_grant uuid, client uuid, factors text[], second_factor timestamp with time zone, code uuid, hash bytea, code_challenge text, redirect text, until timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.oauth_grants (id, tenant_id, client_id, methods, multi_factor_at)
  values (new_grant, current_setting('app.tenant_id')::uuid, client, factors, second_factor);
insert into directory.oauth_tokens (id, grant_id, kind, token_hash, challenge, redirect_uri, expires_at)
  values (code, new_grant, 'code', hash, code_challenge, redirect, until)
$$;
