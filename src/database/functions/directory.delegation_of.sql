create or replace function directory.delegation_of(key text)
  returns table(grant_id uuid, client_id uuid, client_name text, suspended boolean, methods text[], multi_factor_at timestamp with time zone, mfa jsonb, issued_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select g.id, o.id, o.name, o.suspended_at is not null, g.methods, g.multi_factor_at, t.mfa, c.created_at
from directory.credentials c join directory.oauth_grants g on g.id = c.lineage_id
  join directory.oauth_clients o on o.id = g.client_id join directory.tenants t on t.id = c.tenant_id
where c.key_id = key and c.kind = 'oauth_token'
$$;
