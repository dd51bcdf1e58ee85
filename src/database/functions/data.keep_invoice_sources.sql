create or replace function data.keep_invoice_sources()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  invoice data.finance_invoices;
  credited numeric := 0;
begin
  if tg_table_name = 'finance_invoices' then
    invoice := new;
  else
    select * into invoice from data.finance_invoices
      where tenant_id = new.tenant_id and id = new.invoice_id for no key update;
  end if;
  if tg_op = 'UPDATE' then
    delete from data.finance_invoice_sources where tenant_id = invoice.tenant_id and invoice_id = invoice.id;
  end if;
  if invoice.status <> 'draft' then
    select coalesce(sum(total_minor), 0) into credited from data.finance_credit_notes
      where tenant_id = invoice.tenant_id and invoice_id = invoice.id and status in ('issued', 'applied');
  end if;
  if invoice.status <> 'void' and invoice.deleted_at is null
      and (credited = 0 or credited < invoice.total_minor) then
    insert into data.finance_invoice_sources (tenant_id, object, source_id, invoice_id, line_id)
      select invoice.tenant_id, x#>>'{source,object}', (x#>>'{source,id}')::uuid, invoice.id, (x->>'id')::uuid
      from jsonb_array_elements(invoice.line_items) x where x#>>'{source,id}' is not null
      order by 2, 3;
  end if;
  return null;
end
$$;
