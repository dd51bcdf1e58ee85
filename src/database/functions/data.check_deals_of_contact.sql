create or replace function data.check_deals_of_contact()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if exists (select from data.sales_contacts c
      join data.sales_deal_contacts x on x.tenant_id = c.tenant_id and x.contact_id = c.id
      join data.sales_deals d on d.tenant_id = x.tenant_id and d.id = x.deal_id
      where c.tenant_id = new.tenant_id and c.id = new.id and c.account_id is not null
        and d.account_id is distinct from c.account_id) then
    raise exception 'A deal of another account has the contact.'
      using errcode = '23514', constraint = 'sales_contacts_account_of_deals';
  end if;
  return null;
end
$$;
