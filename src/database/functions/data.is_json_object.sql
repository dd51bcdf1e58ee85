create or replace function data.is_json_object(value text)
  returns boolean
  language plpgsql
  immutable strict
  set search_path = pg_catalog
as $$
begin
  return json_typeof(value::json) = 'object';
exception when others then
  return false;
end
$$;
