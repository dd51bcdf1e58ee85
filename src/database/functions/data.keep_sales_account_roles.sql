create or replace function data.keep_sales_account_roles()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'UPDATE' then
    delete from data.sales_account_roles where tenant_id = new.tenant_id and account_id = new.id;
  end if;
  insert into data.sales_account_roles (tenant_id, account_id, role)
    select distinct new.tenant_id, new.id, x from jsonb_array_elements_text(new.roles) x;
  return null;
end
$$;
