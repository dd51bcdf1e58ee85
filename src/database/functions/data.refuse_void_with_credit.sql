create or replace function data.refuse_void_with_credit()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if exists (select from data.finance_credit_notes
    where tenant_id = new.tenant_id and invoice_id = new.id and status in ('issued', 'applied')) then
    raise exception 'a credit note stands against the invoice'
      using errcode = '23514', constraint = 'finance_invoices_void_without_credit';
  end if;
  return new;
end
$$;
