create or replace function directory.grant_states(wanted uuid[])
  returns table(id uuid, suspended boolean, expires_at timestamp with time zone, last_used_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select g.id, c.suspended_at is not null,
  (select max(t.expires_at) from directory.oauth_tokens t where t.grant_id = g.id and t.used_at is null),
  greatest(g.exchanged_at, (select max(u.last_used_at) from directory.credentials k
    join directory.credential_uses u on u.credential_id = k.id
    where k.tenant_id = g.tenant_id and k.lineage_id = g.id))
from directory.oauth_grants g join directory.oauth_clients c on c.id = g.client_id
where g.tenant_id = current_setting('app.tenant_id')::uuid and g.id = any(wanted)
$$;
