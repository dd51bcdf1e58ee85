create or replace function directory.find_oauth_token(hash bytea)
  returns table(token_id uuid, kind text, grant_id uuid, client_id uuid, challenge text, redirect_uri text, expires_at timestamp with time zone, used_at timestamp with time zone, id uuid, slug text, plan text, currency text, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select k.id, k.kind, g.id, g.client_id, k.challenge, k.redirect_uri, k.expires_at, k.used_at,
  t.id, t.slug, t.plan, t.currency, t.epoch
from directory.oauth_tokens k join directory.oauth_grants g on g.id = k.grant_id
  join directory.tenants t on t.id = g.tenant_id
where k.token_hash = hash
$$;
