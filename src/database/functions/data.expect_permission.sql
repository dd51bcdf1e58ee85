create or replace function data.expect_permission(permission text, reached boolean)
  returns boolean
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if not reached then
    raise exception '%', permission using errcode = 'TOP10';
  end if;
  return true;
end
$$;
