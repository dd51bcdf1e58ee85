create or replace function data.address_of(recorded text)
  returns inet
  language plpgsql
  immutable parallel safe strict
  set search_path = pg_catalog
as $$
begin
  return regexp_replace(recorded, '^::ffff:(?=\d+\.)', '', 'i')::inet;
exception when invalid_text_representation then
  return null;
end
$$;
