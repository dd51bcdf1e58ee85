create or replace function data.erase_files_of(tenant uuid, records uuid[])
  returns void
  language plpgsql
  set search_path = pg_catalog
as $$
declare alone uuid[];
begin
  select array_agg(distinct u.file_id) into alone from data.file_uses u
    where u.tenant_id = tenant and u.record_id = any(records)
      and not exists (select from data.file_uses o
        where o.tenant_id = tenant and o.file_id = u.file_id and o.record_id <> all(records));
  delete from data.file_uses u where u.tenant_id = tenant and u.record_id = any(records);
  if alone is null then return; end if;
  delete from data.documents_file_versions v where v.tenant_id = tenant and v.file_id = any(alone);
  delete from data.file_content_uses u
    where u.tenant_id = tenant and u.object = 'documents.file' and u.object_id = any(alone);
  update data.documents_files f set name = '(erased)', folder = null, mime_type = null, sha256 = null, size_bytes = 0,
      content_id = null, status = 'uploading', tags = '[]', custom_fields = '{}', external_refs = '[]',
      deleted_at = coalesce(f.deleted_at, now()), updated_at = now(), version = f.version + 1
    where f.tenant_id = tenant and f.id = any(alone);
end
$$;
