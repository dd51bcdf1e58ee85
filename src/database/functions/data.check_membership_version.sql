create or replace function data.check_membership_version()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if new.version <= old.version then
    raise exception 'a change of a membership raises its version' using errcode = '23514';
  end if;
  return new;
end
$$;
