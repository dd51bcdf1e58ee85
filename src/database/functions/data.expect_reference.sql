create or replace function data.expect_reference(pointer text, known boolean)
  returns boolean
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if not known then
    raise exception '%', pointer using errcode = 'TOP04';
  end if;
  return true;
end
$$;
