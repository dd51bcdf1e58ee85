create or replace function data.check_task_waits()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin if exists (
       with recursive awaited (id) as (
         select blocker_id from data.work_task_blockers where tenant_id = new.tenant_id and task_id = new.id
         union select id from data.work_tasks where tenant_id = new.tenant_id and parent_id = new.id
         union (
           with last as (select id from awaited)
           select b.blocker_id from last join data.work_task_blockers b
             on b.tenant_id = new.tenant_id and b.task_id = last.id
           union all select t.id from last join data.work_tasks t
             on t.tenant_id = new.tenant_id and t.parent_id = last.id))
       select 1 from awaited where id = new.id) then
     if tg_op = 'INSERT' or new.blocked_by_ids <> old.blocked_by_ids then
       raise exception 'A task would wait for itself.' using errcode = 'check_violation', constraint = 'work_tasks_no_blocking_cycle';
     end if;
     raise exception 'A task would wait for itself through its parent.' using errcode = 'check_violation', constraint = 'work_tasks_no_waiting_parent';
   end if;
   return null; end
$$;
