create or replace function data.has_holds(tenant uuid)
  returns boolean
  language sql
  stable
  set search_path = pg_catalog
as $$
select exists (select from data.legal_holds h where h.tenant_id = tenant and h.status = 'active')
$$;
