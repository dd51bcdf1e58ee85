create or replace function data.list_held_ids()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  insert into data.legal_hold_ids (tenant_id, hold_id, named_id)
    select distinct new.tenant_id, new.id, i::uuid from jsonb_array_elements_text(new.scope -> 'objectIds' || (new.scope -> 'membershipIds') || (new.scope -> 'accountIds')) i;
  return null;
end
$$;
