create or replace function data.keep_task_assignees()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin delete from data.work_task_assignees where tenant_id = new.tenant_id and task_id = new.id;
 insert into data.work_task_assignees (tenant_id, task_id, member_id)
   select distinct new.tenant_id, new.id, x::uuid from jsonb_array_elements_text(new.assignee_ids) x;
 return null; end
$$;
