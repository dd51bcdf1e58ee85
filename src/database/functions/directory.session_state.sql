create or replace function directory.session_state(key text)
  returns table(idle_seconds integer, multi_factor_at timestamp with time zone, last_seen_at timestamp with time zone, methods text[], mfa jsonb)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select s.idle_seconds, s.multi_factor_at, coalesce(u.last_used_at, s.created_at), s.methods, t.mfa
from directory.credentials c join directory.sessions s on s.credential_id = c.id
  left join directory.tenants t on t.id = c.tenant_id
  left join directory.credential_uses u on u.credential_id = c.id
where c.key_id = key
$$;
