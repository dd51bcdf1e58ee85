create or replace function directory.find_session(session uuid)
  returns table(id uuid, member_id uuid, user_id uuid, name text, ip text, user_agent text, methods text[], authenticated_at timestamp with time zone, multi_factor_at timestamp with time zone, idle_seconds integer, expires_at timestamp with time zone, created_at timestamp with time zone, last_seen_at timestamp with time zone, revoked_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select s.credential_id, s.member_id, s.user_id, c.name, s.ip, s.user_agent, s.methods, s.authenticated_at,
  s.multi_factor_at, s.idle_seconds, s.expires_at, s.created_at, coalesce(u.last_used_at, s.created_at), c.revoked_at
from directory.sessions s join directory.credentials c on c.id = s.credential_id
  left join directory.credential_uses u on u.credential_id = s.credential_id
where s.tenant_id = current_setting('app.tenant_id')::uuid and s.credential_id = session
$$;
