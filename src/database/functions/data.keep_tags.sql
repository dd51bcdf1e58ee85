create or replace function data.keep_tags()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'UPDATE' then
    delete from data.record_tags where tenant_id = new.tenant_id and object = tg_argv[0] and record_id = new.id;
  end if;
  insert into data.record_tags (tenant_id, object, record_id, tag)
    select distinct new.tenant_id, tg_argv[0], new.id, data.fold(x) from jsonb_array_elements_text(new.tags) x;
  return null;
end
$$;
