create or replace function directory.raise_epoch(tenant uuid)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.tenants set epoch = epoch + 1
  where id = tenant
    and id = coalesce(nullif(current_setting('app.tenant_id', true), '')::uuid, tenant)
$$;
