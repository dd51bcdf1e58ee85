create or replace function directory.lock_tenant()
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  perform from directory.tenants t where t.id = current_setting('app.tenant_id')::uuid for no key update;
end
$$;
