create or replace function directory.keys_of_person(person uuid, keys uuid[])
  returns setof uuid
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select distinct k.id from unnest(keys) k (id) join directory.credentials c on k.id in (c.id, c.lineage_id)
where c.tenant_id = current_setting('app.tenant_id')::uuid and c.kind = 'api_key' and coalesce(c.member_id, c.maker_id, c.lineage_id) = person
$$;
