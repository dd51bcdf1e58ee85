create or replace function data.raise_epochs_of_members()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform directory.raise_epoch(c.tenant_id) from (
    select distinct c.tenant_id from changed c
      join data.memberships m on m.tenant_id = c.tenant_id and m.id = c.membership_id
    where m.version > 1 or m.xmin <> pg_current_xact_id()::xid) c;
  return null;
end
$$;
