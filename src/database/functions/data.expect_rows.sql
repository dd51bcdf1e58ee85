create or replace function data.expect_rows(actual bigint, expected bigint, what text)
  returns boolean
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if actual <> expected then
    raise exception '%', what using errcode = 'TOP02';
  end if;
  return true;
end
$$;
