create or replace function data.check_project_change()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin if new.key <> old.key and old.next_task_number > 1 then
   raise exception 'The key stands in the numbers of tasks.' using errcode = 'check_violation', constraint = 'work_projects_key_is_fixed';
 end if;
 if new.currency <> old.currency and old.spent_minor > 0 then
   raise exception 'Approved time is valued in this currency.' using errcode = 'check_violation', constraint = 'work_projects_currency_is_fixed';
 end if;
 return null; end
$$;
