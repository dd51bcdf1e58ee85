create or replace function directory.hold_currency(expected text)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('base currency ' || current_setting('app.tenant_id')::uuid, 0));
  if not exists (select from directory.tenants t where t.id = current_setting('app.tenant_id')::uuid and t.currency = expected) then
    raise exception 'the currency of the tenant has changed' using errcode = 'TOP01';
  end if;
end
$$;
