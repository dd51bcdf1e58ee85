create or replace function directory.find_oauth_client(wanted uuid)
  returns table(id uuid, name text, redirect_uris text[], allowed_scopes text[], secret_hash bytea, suspended_at timestamp with time zone, created_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select c.id, c.name, c.redirect_uris, c.allowed_scopes, c.secret_hash, c.suspended_at, c.created_at
from directory.oauth_clients c where c.id = wanted
$$;
