create or replace function directory.tenant_founded_by(wanted text, person uuid)
  returns table(id uuid)
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select t.id from directory.tenants t
  join directory.founders f on f.tenant_id = t.id and f.user_id = person
  join directory.member_places p on p.tenant_id = t.id and p.user_id = person
where t.slug = wanted
$$;
