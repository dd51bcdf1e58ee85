create or replace function directory.personal_session(key text)
  returns table(id uuid, secret_hash bytea, user_id uuid, email text, name text, ip text, user_agent text, methods text[], authenticated_at timestamp with time zone, multi_factor_at timestamp with time zone, idle_seconds integer, expires_at timestamp with time zone, created_at timestamp with time zone, last_seen_at timestamp with time zone, revoked_at timestamp with time zone, in_browser boolean)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select s.credential_id, c.secret_hash, s.user_id, u.email, u.name, s.ip, s.user_agent, s.methods,
       s.authenticated_at, s.multi_factor_at, s.idle_seconds, s.expires_at, s.created_at,
       coalesce(l.last_used_at, s.created_at), c.revoked_at, s.in_browser
     from directory.sessions s join directory.credentials c on c.id = s.credential_id
       join directory.users u on u.id = s.user_id
       left join directory.credential_uses l on l.credential_id = s.credential_id
     where s.tenant_id is null and c.key_id = key
$$;
