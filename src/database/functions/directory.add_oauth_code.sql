create or replace function directory.add_oauth_code(of_grant uuid, code uuid, hash bytea, code_challenge text, redirect text, until timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
insert into directory.oauth_tokens (id, grant_id, kind, token_hash, challenge, redirect_uri, expires_at)
  select code, g.id, 'code', hash, code_challenge, redirect, until from directory.oauth_grants g
    where g.id = of_grant and g.tenant_id = current_setting('app.tenant_id')::uuid
$$;
