create or replace function data.check_milestone_currency()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin if exists (
       select 1 from data.work_milestones
       where tenant_id = new.tenant_id and project_id = new.id and status = 'open' and billable_minor > 0
         and deleted_at is null) then
     raise exception 'Open milestones have amounts in this currency.' using errcode = 'check_violation', constraint = 'work_projects_currency_of_milestones';
   end if;
   return null; end
$$;
