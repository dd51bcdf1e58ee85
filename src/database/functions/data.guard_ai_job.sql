create or replace function data.guard_ai_job()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if (new.kind, new.agent_id, new.agent_version, new.provider, new.model, new.tools, new.targets, new.input_hash, new.requester_person)
      is distinct from
     (old.kind, old.agent_id, old.agent_version, old.provider, old.model, old.tools, old.targets, old.input_hash, old.requester_person) then
    raise exception 'what an AI job was decided on never changes' using errcode = '23514';
  end if;
  if old.status in ('succeeded', 'rejected', 'cancelled') and new.status <> old.status then
    raise exception 'an AI job that is over stays over' using errcode = '23514';
  end if;
  if new.status = 'running' and old.status not in ('queued', 'approved', 'running') then
    raise exception 'an AI job starts when it is queued or approved' using errcode = '23514';
  end if;
  return new;
end
$$;
