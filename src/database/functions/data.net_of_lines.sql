create or replace function data.net_of_lines(lines jsonb)
  returns bigint
  language sql
  immutable parallel safe
  set search_path = pg_catalog
as $$
select sum((line ->> 'netMinor')::bigint)::bigint from jsonb_array_elements(lines) line
$$;
