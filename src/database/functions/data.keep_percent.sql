create or replace function data.keep_percent()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if old.used_at is not null and (new.percent <> old.percent or new.used_at is distinct from old.used_at) then
    raise exception 'documents use the rate' using errcode = '23514', constraint = 'finance_tax_rates_percent_fixed';
  end if;
  return new;
end
$$;
