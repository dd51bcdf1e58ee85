create or replace function data.scim_fold(value text)
  returns text
  language sql
  immutable strict
  set search_path = pg_catalog
as $$
select data.fold(value)
$$;
