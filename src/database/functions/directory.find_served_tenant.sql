create or replace function directory.find_served_tenant(tenant uuid)
  returns table(id uuid, slug text, plan text, currency text, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select t.id, t.slug, t.plan, t.currency, t.epoch from directory.tenants t where t.id = tenant and t.is_served
$$;
