create or replace function data.sum_invoices_anew()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
  begin
    new.invoiced_minor := (
select case when abs(x.total) <= 9007199254740991 then x.total end from (
  select coalesce(sum(i.net_minor - coalesce(n.net, 0)), 0) as total
  from data.finance_invoices i
  left join lateral (
    select sum(c.total_minor - c.tax_minor) as net from data.finance_credit_notes c
    where c.tenant_id = i.tenant_id and c.invoice_id = i.id and c.status in ('issued', 'applied')) n on true
  where i.tenant_id = new.tenant_id and i.project_id = new.id and i.currency = new.currency
    and i.status not in ('draft', 'void') and i.deleted_at is null) x);
    return new;
  end
$$;
