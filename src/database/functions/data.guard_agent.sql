create or replace function data.guard_agent()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if old.status = 'retired' and new.status <> 'retired' then
    raise exception 'a retired agent stays retired' using errcode = '23514';
  end if;
  if new.agent_version <> old.agent_version + (case when new.instructions is distinct from old.instructions or new.provider is distinct from old.provider or new.model is distinct from old.model or new.parameters is distinct from old.parameters or new.tools is distinct from old.tools or new.grants is distinct from old.grants then 1 else 0 end) then
    raise exception 'the version of an agent rises with its content' using errcode = '23514';
  end if;
  if new.agent_version <> old.agent_version and not exists (select 1 from data.intelligence_agent_versions v where v.tenant_id = new.tenant_id
      and v.agent_id = new.id and v.agent_version = new.agent_version and v.instructions is not distinct from new.instructions and v.provider is not distinct from new.provider and v.model is not distinct from new.model and v.parameters is not distinct from new.parameters and v.tools is not distinct from new.tools and v.grants is not distinct from new.grants) then
    raise exception 'the version of an agent is not kept' using errcode = '23514';
  end if;
  return null;
end
$$;
