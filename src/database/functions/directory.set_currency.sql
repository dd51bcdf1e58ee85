create or replace function directory.set_currency(wanted text)
  returns text
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
declare before text;
begin
  perform pg_advisory_xact_lock(hashtextextended('base currency ' || current_setting('app.tenant_id')::uuid, 0));
  select t.currency into before from directory.tenants t where t.id = current_setting('app.tenant_id')::uuid for no key update;
  update directory.tenants t set currency = wanted where t.id = current_setting('app.tenant_id')::uuid;
  return before;
end
$$;
