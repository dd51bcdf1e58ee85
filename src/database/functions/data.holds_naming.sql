create or replace function data.holds_naming(tenant uuid, r jsonb)
  returns setof data.legal_holds
  language plpgsql
  stable
  set search_path = pg_catalog
as $$
declare
  ids uuid[] := data.ids_named(tenant, r)::uuid[];
begin
  return query
    select h.* from data.legal_holds h where h.tenant_id = tenant and h.status = 'active' and (
      exists (
        select from data.legal_hold_ids k
        where k.tenant_id = tenant and k.hold_id = h.id and k.named_id = any(ids))
      or not exists (select from data.legal_hold_ids k where k.tenant_id = tenant and k.hold_id = h.id));
end
$$;
