create or replace function data.mark_endpoint_change()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  update data.webhook_lanes set revision = revision + 1 where tenant_id = new.tenant_id and endpoint_id = new.id;
  return null;
end
$$;
