create or replace function data.search_documents_documents(text)
  returns setof uuid
  language sql
  stable security definer
  set search_path = pg_catalog
as $$
select id from data.documents_documents
where tenant_id = current_setting('app.tenant_id')::uuid and search @@ to_tsquery('simple', $1)
$$;
