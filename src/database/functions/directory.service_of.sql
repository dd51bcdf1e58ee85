create or replace function directory.service_of(key text)
  returns table(service text)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select case when t.closed_at is not null then 'closed' when t.suspended_at is not null then 'suspended'
  else 'open' end
from directory.credentials c join directory.tenants t on t.id = c.tenant_id where c.key_id = key
$$;
