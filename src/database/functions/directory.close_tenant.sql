create or replace function directory.close_tenant(at timestamp with time zone)
  returns boolean
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
declare tenant uuid := current_setting('app.tenant_id')::uuid;
begin
  update directory.tenants t set closed_at = at
    where t.id = tenant and t.closed_at is null and t.closes_at <= at;
  if not found then return false; end if;
  update directory.credentials c set revoked_at = at where c.tenant_id = tenant and c.revoked_at is null;
  delete from directory.open_invitations i where i.tenant_id = tenant;
  return true;
end
$$;
