create or replace function data.keep_task_blockers()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
  begin
if new.project_id is not null then
  perform 1 from data.work_projects where tenant_id = new.tenant_id and id = new.project_id for no key update;
else
  perform pg_advisory_xact_lock(hashtextextended('work.personal_tasks ' || new.tenant_id, 0));
end if;
   delete from data.work_task_blockers where tenant_id = new.tenant_id and task_id = new.id;
   insert into data.work_task_blockers (tenant_id, task_id, blocker_id)
     select distinct new.tenant_id, new.id, x::uuid from jsonb_array_elements_text(new.blocked_by_ids) x;
   if exists (select 1 from data.work_task_blockers b join data.work_tasks t
       on t.tenant_id = b.tenant_id and t.id = b.blocker_id
       where b.tenant_id = new.tenant_id and b.task_id = new.id and t.project_id is distinct from new.project_id) then
     raise exception 'A blocker belongs to another project.' using errcode = 'check_violation', constraint = 'work_tasks_blocker_of_project';
   end if;
   if exists (
       with recursive before (id) as (
         select blocker_id from data.work_task_blockers where tenant_id = new.tenant_id and task_id = new.id
         union select b.blocker_id from before join data.work_task_blockers b
           on b.tenant_id = new.tenant_id and b.task_id = before.id)
       select 1 from before where id = new.id) then
     raise exception 'A task would wait for itself.' using errcode = 'check_violation', constraint = 'work_tasks_no_blocking_cycle';
   end if;
   return null; end
$$;
