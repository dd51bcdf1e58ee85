create or replace function data.limit_custom_fields()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if (select count(*) from data.settings_custom_fields
      where tenant_id = new.tenant_id and record_type = new.record_type) > 100 then
    raise exception 'a type has at most 100 custom fields'
      using errcode = '23514', constraint = 'settings_custom_fields_limit';
  end if;
  return null;
end
$$;
