create or replace function data.check_contacts_of_deal()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  account uuid;
begin
  select d.account_id into account from data.sales_deals d where d.tenant_id = new.tenant_id and d.id = new.id;
  perform from data.sales_deal_contacts x join data.sales_contacts c
    on c.tenant_id = x.tenant_id and c.id = x.contact_id
    where x.tenant_id = new.tenant_id and x.deal_id = new.id order by c.id for share of c;
  if exists (select from data.sales_deal_contacts x join data.sales_contacts c
      on c.tenant_id = x.tenant_id and c.id = x.contact_id
      where x.tenant_id = new.tenant_id and x.deal_id = new.id
        and (c.account_id <> account or c.account_id is not null and account is null)) then
    raise exception 'A contact of the deal belongs to another account.'
      using errcode = '23514', constraint = 'sales_deals_contact_of_account';
  end if;
  return null;
end
$$;
