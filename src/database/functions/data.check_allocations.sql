create or replace function data.check_allocations()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  row jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
  tenant uuid := (row ->> 'tenant_id')::uuid;
  payment uuid := case tg_argv[0] when 'allocation' then (row ->> 'payment_id')::uuid
    when 'payment' then (row ->> 'id')::uuid end;
  invoice uuid := case tg_argv[0] when 'allocation' then (row ->> 'invoice_id')::uuid
    when 'invoice' then (row ->> 'id')::uuid end;
begin
  if tg_op = 'DELETE' and (
      not exists (select from data.finance_payments p where p.tenant_id = tenant and p.id = payment)
      or not exists (select from data.finance_invoices i where i.tenant_id = tenant and i.id = invoice)) then
    return null;
  end if;
  if payment is not null and exists (
    select from data.finance_payments p where p.tenant_id = tenant and p.id = payment and p.allocated_minor <>
      (select coalesce(sum(a.amount_minor), 0) from data.finance_payment_allocations a
        where a.tenant_id = tenant and a.payment_id = payment)) then
    raise exception 'the allocations of payment % do not add up', payment using errcode = 'TOP06';
  end if;
  if invoice is not null and exists (
    select from data.finance_invoices i where i.tenant_id = tenant and i.id = invoice and i.amount_paid_minor <>
      (select coalesce(sum(a.amount_minor), 0) from data.finance_payment_allocations a
        where a.tenant_id = tenant and a.invoice_id = invoice)) then
    raise exception 'the payments of invoice % do not add up', invoice using errcode = 'TOP06';
  end if;
  return null;
end
$$;
