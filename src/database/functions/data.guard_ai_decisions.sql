create or replace function data.guard_ai_decisions()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  raise exception 'decisions about AI jobs never change' using errcode = '23514';
end
$$;
