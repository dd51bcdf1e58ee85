create or replace function data.guard_agent_version()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'DELETE' and not exists (
      select from data.intelligence_agents p where p.tenant_id = old.tenant_id and p.id = old.agent_id) then
    return old;
  end if;
  raise exception 'versions of agents never change' using errcode = '23514';
end
$$;
