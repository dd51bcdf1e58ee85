create or replace function data.project_used_minor(billing_model text, spent_minor bigint, invoiced_minor bigint)
  returns numeric
  language sql
  immutable parallel safe
  set search_path = pg_catalog
as $$
select case billing_model
  when 'retainer' then 0
  when 'time_and_materials' then greatest(spent_minor, coalesce(invoiced_minor, 9007199254740991))
  else spent_minor end
$$;
