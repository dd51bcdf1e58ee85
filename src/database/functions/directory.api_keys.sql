create or replace function directory.api_keys(wanted uuid)
  returns table(id uuid, key_id text, name text, scopes text[], allow_protected boolean, allowed_cidrs text[], member_id uuid, issued_at timestamp with time zone, expires_at timestamp with time zone, revoked_at timestamp with time zone, previous_expires_at timestamp with time zone, last_used_at timestamp with time zone, last_used_ip text)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select distinct on (c.lineage_id) c.lineage_id, c.key_id, c.name, c.scopes, c.allow_protected, c.allowed_cidrs,
  c.member_id, c.created_at, c.expires_at, c.revoked_at,
  (select max(p.expires_at) from directory.credentials p where p.tenant_id = c.tenant_id
    and p.lineage_id = c.lineage_id and p.id <> c.id and p.revoked_at is null),
  l.last_used_at, l.last_used_ip
from directory.credentials c left join lateral (
  select u.last_used_at, u.last_used_ip from directory.credentials s
    join directory.credential_uses u on u.credential_id = s.id
  where s.tenant_id = c.tenant_id and s.lineage_id = c.lineage_id order by u.last_used_at desc limit 1) l on true
where c.tenant_id = current_setting('app.tenant_id')::uuid and c.kind = 'api_key'
  and (wanted is null or c.lineage_id = wanted)
order by c.lineage_id, c.created_at desc, c.id desc
$$;
