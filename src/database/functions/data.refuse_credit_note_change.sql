create or replace function data.refuse_credit_note_change()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if new.status = 'draft' or (new.name, new.number, new.invoice_id, new.currency, new.reason, new.disposition, new.tax_inclusive, new.line_items, new.subtotal_minor, new.discount_minor, new.tax_minor, new.total_minor, new.base_total_minor, new.base_tax_minor, new.tax_breakdown, new.issue_date, new.e_invoice) is distinct from (old.name, old.number, old.invoice_id, old.currency, old.reason, old.disposition, old.tax_inclusive, old.line_items, old.subtotal_minor, old.discount_minor, old.tax_minor, old.total_minor, old.base_total_minor, old.base_tax_minor, old.tax_breakdown, old.issue_date, old.e_invoice) then
    raise exception 'the record % is final', old.reference using errcode = 'TOP05';
  end if;
  return new;
end
$$;
