create or replace function data.check_task_tree()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
  declare above integer; below integer; cyclic boolean;
  begin
if new.project_id is not null then
  perform 1 from data.work_projects where tenant_id = new.tenant_id and id = new.project_id for no key update;
else
  perform pg_advisory_xact_lock(hashtextextended('work.personal_tasks ' || new.tenant_id, 0));
end if;
   if tg_op = 'UPDATE' and new.project_id is distinct from old.project_id then
     raise exception 'A task stays in its project.' using errcode = 'check_violation', constraint = 'work_tasks_project_is_fixed';
   end if;
   if new.parent_id is not null then
     if not exists (select 1 from data.work_tasks where tenant_id = new.tenant_id and id = new.parent_id
         and project_id is not distinct from new.project_id) then
       raise exception 'The parent belongs to another project.' using errcode = 'check_violation', constraint = 'work_tasks_parent_of_project';
     end if;
     with recursive up (id, level) as (
       select new.parent_id, 1
       union all select t.parent_id, up.level + 1 from up join data.work_tasks t
         on t.tenant_id = new.tenant_id and t.id = up.id where t.parent_id is not null and up.level < 5)
     select max(level), bool_or(id = new.id) from up into above, cyclic;
     if cyclic then raise exception 'A task would be its own ancestor.' using errcode = 'check_violation', constraint = 'work_tasks_no_parent_cycle'; end if;
     with recursive down (id, level) as (
       select new.id, 1
       union all select t.id, down.level + 1 from down join data.work_tasks t
         on t.tenant_id = new.tenant_id and t.parent_id = down.id where down.level < 5)
     select max(level) from down into below;
     if above + below > 3 then raise exception 'Tasks nest at most three deep.' using errcode = 'check_violation', constraint = 'work_tasks_depth'; end if;
     if new.category not in ('done', 'cancelled') and new.deleted_at is null and exists (
         select 1 from data.work_tasks where tenant_id = new.tenant_id and id = new.parent_id and state = 'done'
           and deleted_at is null) then
       raise exception 'The parent is done.' using errcode = 'check_violation', constraint = 'work_tasks_done_has_no_open_child';
     end if;
   end if;
   if new.state = 'done' and new.deleted_at is null and exists (
       select 1 from data.work_tasks where tenant_id = new.tenant_id and parent_id = new.id
         and category not in ('done', 'cancelled') and deleted_at is null) then
     raise exception 'A child is open.' using errcode = 'check_violation', constraint = 'work_tasks_done_has_no_open_child';
   end if;
   return null; end
$$;
