create or replace function data.sum_invoices()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
  declare
    project uuid;
  begin
    if tg_table_name = 'finance_invoices' then
      project := new.project_id;
    else
      select i.project_id into project from data.finance_invoices i
        where i.tenant_id = new.tenant_id and i.id = new.invoice_id;
    end if;
    if project is not null then
      perform from data.work_projects where tenant_id = new.tenant_id and id = project for no key update;
      update data.work_projects p set invoiced_minor = (
select case when abs(x.total) <= 9007199254740991 then x.total end from (
  select coalesce(sum(i.net_minor - coalesce(n.net, 0)), 0) as total
  from data.finance_invoices i
  left join lateral (
    select sum(c.total_minor - c.tax_minor) as net from data.finance_credit_notes c
    where c.tenant_id = i.tenant_id and c.invoice_id = i.id and c.status in ('issued', 'applied')) n on true
  where i.tenant_id = p.tenant_id and i.project_id = p.id and i.currency = p.currency
    and i.status not in ('draft', 'void') and i.deleted_at is null) x)
        where p.tenant_id = new.tenant_id and p.id = project;
    end if;
    return null;
  end
$$;
