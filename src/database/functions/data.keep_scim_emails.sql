create or replace function data.keep_scim_emails()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'UPDATE' then
    delete from data.scim_user_emails where tenant_id = new.tenant_id and user_id = new.id;
  end if;
  insert into data.scim_user_emails (tenant_id, user_id, value_key)
    select distinct new.tenant_id, new.id, e.value ->> 'value'
    from jsonb_array_elements(coalesce(new.keys -> 'emails', '[]')) e where e.value ? 'value';
  return null;
end
$$;
