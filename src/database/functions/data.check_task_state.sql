create or replace function data.check_task_state()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare state record;
begin
  select project_id, status into state from data.work_task_states
    where tenant_id = new.tenant_id and id = new.custom_state_id for share;
  if state.status is distinct from 'active' then
    raise exception 'The state is retired.' using errcode = 'check_violation', constraint = 'work_tasks_state_is_active';
  end if;
  if state.project_id is not null and state.project_id is distinct from new.project_id then
    raise exception 'The state belongs to another project.' using errcode = 'check_violation', constraint = 'work_tasks_state_of_project';
  end if;
  return null;
end
$$;
