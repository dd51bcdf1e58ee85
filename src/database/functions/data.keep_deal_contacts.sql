create or replace function data.keep_deal_contacts()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  delete from data.sales_deal_contacts d
    where d.tenant_id = new.tenant_id and d.deal_id = new.id
      and d.contact_id is distinct from new.primary_contact_id and not new.contact_ids ? d.contact_id::text;
  insert into data.sales_deal_contacts (tenant_id, deal_id, contact_id)
    select new.tenant_id, new.id, value::uuid from jsonb_array_elements_text(new.contact_ids)
    union select new.tenant_id, new.id, new.primary_contact_id where new.primary_contact_id is not null
    on conflict (tenant_id, contact_id, deal_id) do nothing;
  return null;
end
$$;
