create or replace function data.use_tax_rates()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  update data.finance_tax_rates set used_at = now()
    where tenant_id = new.tenant_id and used_at is null and id in (
      select (x ->> 'taxRateId')::uuid from jsonb_array_elements(new.line_items) x
      where x ->> 'taxRateId' is not null);
  return null;
end
$$;
