create or replace function directory.scim_tokens()
  returns table(config_id uuid, key_id text, expires_at timestamp with time zone, last_used_at timestamp with time zone)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select distinct on (c.lineage_id) c.lineage_id, c.key_id, c.expires_at,
  max(u.last_used_at) over (partition by c.lineage_id)
from directory.credentials c left join directory.credential_uses u on u.credential_id = c.id
where c.tenant_id = current_setting('app.tenant_id')::uuid and kind = 'scim_token' order by c.lineage_id, c.created_at desc, c.id desc
$$;
