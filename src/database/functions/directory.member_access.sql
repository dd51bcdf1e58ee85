create or replace function directory.member_access(members uuid[], at timestamp with time zone)
  returns table(member_id uuid, active_sessions integer, api_keys integer, methods text[], multi_factor_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select m.id,
  (select count(*)::integer from directory.sessions_of(m.id, at)),
  (select count(*)::integer from directory.credentials c
    where c.tenant_id = current_setting('app.tenant_id')::uuid and c.member_id = m.id and c.kind = 'api_key'
      and c.revoked_at is null and (c.expires_at is null or c.expires_at > at)),
  coalesce(last.methods, array[]::text[]), last.multi_factor_at
from unnest(members) m (id) left join lateral (
  select s.methods, s.multi_factor_at from directory.sessions s
  where s.tenant_id = current_setting('app.tenant_id')::uuid and s.member_id = m.id
  order by s.created_at desc limit 1) last on true
$$;
