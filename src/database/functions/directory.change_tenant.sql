create or replace function directory.change_tenant(new_name text, suspended timestamp with time zone, why text, closes timestamp with time zone)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.tenants t
  set name = new_name, suspended_at = suspended, suspension_reason = why, closes_at = closes
  where t.id = current_setting('app.tenant_id')::uuid and t.closed_at is null
$$;
