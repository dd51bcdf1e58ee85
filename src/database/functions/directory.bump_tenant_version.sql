create or replace function directory.bump_tenant_version()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  new.version := old.version + 1;
  new.updated_at := now();
  return new;
end
$$;
