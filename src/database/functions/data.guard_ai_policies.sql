create or replace function data.guard_ai_policies()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  raise exception 'versions of a policy never change' using errcode = '23514';
end
$$;
