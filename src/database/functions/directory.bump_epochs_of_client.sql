create or replace function directory.bump_epochs_of_client()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  update directory.tenants t set epoch = t.epoch + 1
    where t.id in (select g.tenant_id from directory.oauth_grants g where g.client_id = new.id);
  return null;
end
$$;
