create or replace function data.count_tasks()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin if new.number is null then
   raise exception 'A task of a project has a number.' using errcode = 'check_violation', constraint = 'work_tasks_number_in_project';
 end if;
 update data.work_projects p set backlog_tasks = backlog_tasks + d.backlog,
     unstarted_tasks = unstarted_tasks + d.unstarted, started_tasks = started_tasks + d.started,
     done_tasks = done_tasks + d.done, cancelled_tasks = cancelled_tasks + d.cancelled,
     estimated_tasks = estimated_tasks + d.estimated, estimate_minutes = p.estimate_minutes + d.minutes,
     done_estimate_minutes = done_estimate_minutes + d.done_minutes,
     next_task_number = greatest(next_task_number, new.number + 1)
   from (select coalesce(sum(sign) filter (where (e).category = 'backlog'), 0) as backlog, coalesce(sum(sign) filter (where (e).category = 'unstarted'), 0) as unstarted, coalesce(sum(sign) filter (where (e).category = 'started'), 0) as started, coalesce(sum(sign) filter (where (e).category = 'done'), 0) as done, coalesce(sum(sign) filter (where (e).category = 'cancelled'), 0) as cancelled,
       coalesce(sum(sign) filter (where (e).estimate_minutes is not null and (e).category <> 'cancelled'), 0) as estimated,
       coalesce(sum(sign * (e).estimate_minutes) filter (where (e).estimate_minutes is not null and (e).category <> 'cancelled'), 0) as minutes,
       coalesce(sum(sign * (e).estimate_minutes) filter (where (e).category = 'done'), 0) as done_minutes
     from (values (-1, old), (1, new)) x (sign, e) where (e).id is not null and (e).deleted_at is null) d
   where p.tenant_id = new.tenant_id and p.id = new.project_id;
 return null; end
$$;
