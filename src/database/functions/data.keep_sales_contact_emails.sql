create or replace function data.keep_sales_contact_emails()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare r alias for new;
begin
  if tg_op = 'UPDATE' then
    delete from data.sales_contact_emails where tenant_id = new.tenant_id and contact_id = new.id;
  end if;
  insert into data.sales_contact_emails (tenant_id, contact_id, email) select distinct new.tenant_id, new.id, data.fold(x) from jsonb_array_elements_text(r.emails) x;
  return null;
end
$$;
