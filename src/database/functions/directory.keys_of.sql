create or replace function directory.keys_of(member uuid)
  returns setof uuid
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select c.id from directory.credentials c
where c.tenant_id = current_setting('app.tenant_id')::uuid and c.member_id = member and c.kind = 'api_key'
$$;
