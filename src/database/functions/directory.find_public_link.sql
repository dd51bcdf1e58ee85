create or replace function directory.find_public_link(hash bytea)
  returns table(link_id uuid, id uuid, slug text, plan text, currency text, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select l.link_id, t.id, t.slug, t.plan, t.currency, t.epoch
from directory.public_link_tokens l join directory.tenants t on t.id = l.tenant_id
where l.token_hash = hash and t.is_served
$$;
