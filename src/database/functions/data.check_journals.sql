create or replace function data.check_journals()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if exists (select from added group by tenant_id, journal_id, currency
      having sum(debit_minor) <> sum(credit_minor))
    or exists (select from added group by tenant_id, journal_id having sum(base_minor) <> 0)
    or exists (select from added a join data.finance_ledger_entries e using (tenant_id, journal_id)
      where e.id not in (select id from added)) then
    raise exception 'a journal does not add up to zero' using errcode = 'TOP06';
  end if;
  return null;
end
$$;
