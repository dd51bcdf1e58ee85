create or replace function data.keep_task_spent()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin new.spent_minutes := old.spent_minutes; return new; end
$$;
