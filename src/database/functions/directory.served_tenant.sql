create or replace function directory.served_tenant(wanted text)
  returns table(id uuid, slug text, name text, plan text, currency text, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select t.id, t.slug, t.name, t.plan, t.currency, t.epoch from directory.tenants t where t.slug = wanted and t.is_served
$$;
