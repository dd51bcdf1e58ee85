create or replace function data.keep_external_refs()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'UPDATE' then
    delete from data.external_refs where tenant_id = new.tenant_id and object = tg_argv[0] and record_id = new.id;
  end if;
  insert into data.external_refs (tenant_id, object, record_id, ref, in_trash)
    select distinct new.tenant_id, tg_argv[0], new.id, (x->>'system') || ':' || (x->>'id'), new.deleted_at is not null
    from jsonb_array_elements(new.external_refs) x;
  return null;
end
$$;
