create or replace function directory.tenants_of(person uuid)
  returns table(id uuid, slug text, name text, plan text, currency text, epoch bigint)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select t.id, t.slug, t.name, t.plan, t.currency, t.epoch from directory.tenants t where t.id in (
  select p.tenant_id from directory.member_places p where p.user_id = person
  union
  select p.tenant_id from directory.users u join directory.member_places p on p.email_lower = lower(u.email)
    where u.id = person and p.user_id is null)
order by t.slug limit 100
$$;
