create or replace function data.release_document_contents()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  delete from data.file_content_uses u
    where u.tenant_id = old.tenant_id and u.object = 'documents.document' and u.object_id = old.id;
  return null;
end
$$;
