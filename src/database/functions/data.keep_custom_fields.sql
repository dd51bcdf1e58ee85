create or replace function data.keep_custom_fields()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'UPDATE' then
    delete from data.custom_field_values where tenant_id = new.tenant_id and object = tg_argv[0] and record_id = new.id;
  end if;
  insert into data.custom_field_values (tenant_id, object, record_id, key, value)
    select distinct new.tenant_id, tg_argv[0], new.id, f.key, left(v.value, 200) from jsonb_each(new.custom_fields) f, lateral (
  select e #>> '{}' as value from jsonb_array_elements(
    case when jsonb_typeof(f.value) = 'array' then f.value else jsonb_build_array(f.value) end) e
  where jsonb_typeof(e) in ('string', 'number', 'boolean')) v;
  return null;
end
$$;
