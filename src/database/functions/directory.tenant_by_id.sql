create or replace function directory.tenant_by_id(wanted uuid)
  returns table(id uuid, slug text, plan text, currency text, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select t.id, t.slug, t.plan, t.currency, t.epoch from directory.tenants t where t.id = wanted
$$;
