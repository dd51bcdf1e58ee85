create or replace function data.refuse_document_change()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if new.status = 'draft' or (new.name, new.number, new.customer, new.seller, new.currency, new.line_items, new.tax_inclusive, new.subtotal_minor, new.discount_minor, new.net_minor, new.tax_minor, new.total_minor, new.tax_breakdown, new.issue_date, new.due_date, new.payment_terms_days, new.po_number, new.terms, new.language, new.deal_id, new.project_id, new.purchase_ref, new.exchange_rate, new.base_currency, new.base_total_minor, new.content_hash, new.e_invoice) is distinct from (old.name, old.number, old.customer, old.seller, old.currency, old.line_items, old.tax_inclusive, old.subtotal_minor, old.discount_minor, old.net_minor, old.tax_minor, old.total_minor, old.tax_breakdown, old.issue_date, old.due_date, old.payment_terms_days, old.po_number, old.terms, old.language, old.deal_id, old.project_id, old.purchase_ref, old.exchange_rate, old.base_currency, old.base_total_minor, old.content_hash, old.e_invoice) then
    raise exception 'invoice % has been issued', old.number using errcode = 'TOP05';
  end if;
  return new;
end
$$;
