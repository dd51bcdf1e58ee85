create or replace function data.raise_epochs()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform directory.raise_epoch(c.tenant_id) from (select distinct tenant_id from changed) c;
  return null;
end
$$;
