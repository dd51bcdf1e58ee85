create or replace function data.check_credit()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  invoice record;
begin
  select total_minor, status into invoice from data.finance_invoices
    where tenant_id = new.tenant_id and id = new.invoice_id for no key update;
  if invoice.status in ('draft', 'void') or invoice.total_minor < (
    select sum(total_minor) from data.finance_credit_notes
    where tenant_id = new.tenant_id and invoice_id = new.invoice_id and status in ('issued', 'applied')) then
    raise exception 'more is credited than the invoice comes to'
      using errcode = '23514', constraint = 'finance_credit_notes_within_invoice';
  end if;
  return null;
end
$$;
