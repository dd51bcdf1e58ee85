create or replace function directory.mfa_policy()
  returns jsonb
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select t.mfa from directory.tenants t where t.id = current_setting('app.tenant_id')::uuid
$$;
