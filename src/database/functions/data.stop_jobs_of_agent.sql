create or replace function data.stop_jobs_of_agent()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  update data.ai_queue q set stop_reason = 'agent_paused'
    where q.tenant_id = new.tenant_id and q.agent_id = new.id and q.stop_reason is null;
  return null;
end
$$;
