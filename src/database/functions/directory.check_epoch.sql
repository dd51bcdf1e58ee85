create or replace function directory.check_epoch(tenant uuid, expected bigint)
  returns boolean
  language plpgsql
  stable security definer
  set search_path = pg_catalog
as $$
declare actual bigint;
begin
  select t.epoch into actual from directory.tenants t where t.id = tenant;
  if actual is distinct from expected then
    raise exception 'the facts about the tenant have changed' using errcode = 'TOP01';
  end if;
  return true;
end
$$;
