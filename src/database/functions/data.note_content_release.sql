create or replace function data.note_content_release()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  -- Of two releases at the same time, the second one must see what the first one has deleted.
  perform 1 from data.file_contents c
    where c.tenant_id = old.tenant_id and c.id = old.content_id for update;
  update data.file_contents c set is_unused = true
    where c.tenant_id = old.tenant_id and c.id = old.content_id
      and not exists (select from data.file_content_uses u
        where u.tenant_id = old.tenant_id and u.content_id = old.content_id);
  return null;
end
$$;
