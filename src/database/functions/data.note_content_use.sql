create or replace function data.note_content_use()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  update data.file_contents c set is_unused = false
    where c.tenant_id = new.tenant_id and c.id = new.content_id and c.removing_until is null;
  if not found then
    raise exception 'the content % is being removed', new.content_id;
  end if;
  return null;
end
$$;
