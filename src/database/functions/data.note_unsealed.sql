create or replace function data.note_unsealed()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  insert into data.audit_pending (tenant_id, entry_id, leaf_hash) values (new.tenant_id, new.id, new.leaf_hash);
  return null;
end
$$;
