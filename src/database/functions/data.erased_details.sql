create or replace function data.erased_details(details text, outcome text)
  returns text
  language sql
  immutable
  set search_path = pg_catalog
as $$
select jsonb_build_object('targetName', null, 'reason', case when outcome <> 'success' then d -> 'reason' end,
  'changes', case when jsonb_typeof(d -> 'changes') = 'object' then (
    select coalesce(jsonb_object_agg(k, '{"from": "(erased)", "to": "(erased)"}'::jsonb), '{}')
    from jsonb_object_keys(d -> 'changes') k) end)::text
from (select details::jsonb as d) parsed
$$;
