create or replace function directory.set_mfa_policy(policy jsonb)
  returns void
  language sql
  security definer
  set search_path = pg_catalog
as $$
update directory.tenants t set mfa = policy where t.id = current_setting('app.tenant_id')::uuid
$$;
