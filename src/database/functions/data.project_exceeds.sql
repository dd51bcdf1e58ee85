create or replace function data.project_exceeds(percent integer, billing_model text, used_minor numeric, budget_minor bigint, spent_minutes bigint, budget_minutes integer)
  returns boolean
  language sql
  immutable parallel safe
  set search_path = pg_catalog
as $$
select billing_model <> 'retainer' and (coalesce(used_minor * 100 > budget_minor::numeric * percent, false)
  or coalesce(spent_minutes::numeric * 100 > budget_minutes::numeric * percent, false))
$$;
