create or replace function directory.maker_of(key text)
  returns uuid
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select c.maker_id from directory.credentials c where c.key_id = key
$$;
