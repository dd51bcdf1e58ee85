create or replace function data.scim_resource(user_name text, email text, name text)
  returns jsonb
  language sql
  immutable
  set search_path = pg_catalog
as $$
select jsonb_build_object('userName', user_name, 'displayName', name, 'name', jsonb_build_object('formatted', name),
  'emails', jsonb_build_array(jsonb_build_object('value', email, 'type', 'work', 'primary', true)))
$$;
