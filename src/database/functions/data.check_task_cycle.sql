create or replace function data.check_task_cycle()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare cycle record;
begin select project_id, workspace_id, status into cycle from data.work_cycles
   where tenant_id = new.tenant_id and id = new.cycle_id for share;
 if cycle.status = 'closed' then
   raise exception 'The cycle is closed.' using errcode = 'check_violation', constraint = 'work_tasks_cycle_is_open';
 end if;
 if cycle.project_id is null then
   if cycle.workspace_id is distinct from coalesce(new.workspace_id,
       (select workspace_id from data.work_projects where tenant_id = new.tenant_id and id = new.project_id)) then
     raise exception 'The cycle belongs to another workspace.' using errcode = 'check_violation', constraint = 'work_tasks_cycle_of_project';
   end if;
 elsif cycle.project_id is distinct from new.project_id then
   raise exception 'The cycle belongs to another project.' using errcode = 'check_violation', constraint = 'work_tasks_cycle_of_project';
 end if;
 return null; end
$$;
