create or replace function directory.note_master_key()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  insert into directory.master_keys (id, first_used_at) values (new.master_key_id, now()) on conflict do nothing;
  return null;
end
$$;
