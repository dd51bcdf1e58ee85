create or replace function directory.tenant_founded_for(wanted text, owner text)
  returns table(id uuid)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select t.id from directory.tenants t where t.slug = wanted and lower(t.owner_email) = lower(owner)
$$;
