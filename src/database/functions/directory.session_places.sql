create or replace function directory.session_places(person uuid, at timestamp with time zone)
  returns table(member_id uuid, member_name text, id uuid, slug text, name text, plan text, currency text, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select distinct on (t.id, s.member_id) s.member_id, c.name, t.id, t.slug, t.name, t.plan, t.currency, t.epoch
from directory.sessions s join directory.credentials c on c.id = s.credential_id
  join directory.tenants t on t.id = s.tenant_id
where s.user_id = person and c.revoked_at is null and s.expires_at > at
$$;
