create or replace function data.follow_ai_job()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if new.status in ('queued', 'approved', 'awaiting_approval') then
    insert into data.ai_queue as q (tenant_id, job_id, agent_id, state, rank_at, due_at, expires_at)
      values (new.tenant_id, new.id, new.agent_id,
        case new.status when 'awaiting_approval' then 'waiting' else 'due' end,
        new.queued_at - new.priority * interval '2 minutes', now(), new.deadline_at)
    on conflict (tenant_id, job_id) do update set state = excluded.state, due_at = excluded.due_at,
      rank_at = excluded.rank_at, expires_at = excluded.expires_at, lease_token = null, lease_until = null;
  elsif new.status = 'running' then
    update data.ai_queue q set state = 'running' where q.tenant_id = new.tenant_id and q.job_id = new.id;
  elsif tg_op = 'UPDATE' and old.status = 'running' then
    update data.ai_queue q set state = 'closing' where q.tenant_id = new.tenant_id and q.job_id = new.id;
  else
    delete from data.ai_queue q where q.tenant_id = new.tenant_id and q.job_id = new.id;
  end if;
  return null;
end
$$;
