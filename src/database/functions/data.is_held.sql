create or replace function data.is_held(tenant uuid, type text, r jsonb)
  returns boolean
  language plpgsql
  stable
  set search_path = pg_catalog
as $$
begin
  if not data.has_holds(tenant) then return false; end if;
  return exists (
    select from data.holds_naming(tenant, r) h where (h.scope -> 'objects' = '[]' or h.scope -> 'objects' ? type)
      and (h.scope ->> 'from' is null or (r ->> 'updated_at')::timestamptz >= (h.scope ->> 'from')::timestamptz)
      and (h.scope ->> 'to' is null or (r ->> 'created_at')::timestamptz <= (h.scope ->> 'to')::timestamptz));
end
$$;
