create or replace function data.references_to_records()
  returns table(child_id oid, child text, child_column text, parent text, goes_along boolean)
  language sql
  stable
  set search_path = pg_catalog
as $$
select c.conrelid::oid, c.conrelid::regclass::text, ca.attname::text, c.confrelid::regclass::text,
  c.confdeltype = 'c' and c.conrelid not in ('data.sales_handoffs'::regclass, 'data.talent_mappings'::regclass)
from pg_constraint c cross join unnest(c.conkey, c.confkey) as k (child_key, parent_key)
  join pg_attribute pa on pa.attrelid = c.confrelid and pa.attnum = k.parent_key and pa.attname = 'id'
  join pg_attribute ca on ca.attrelid = c.conrelid and ca.attnum = k.child_key
where c.contype = 'f' and c.connamespace = 'data'::regnamespace
  and (c.confdeltype <> 'n' or ca.attname like '%template_id') and c.conrelid <> 'data.checklists'::regclass
$$;
