create or replace function data.first_id(day date)
  returns uuid
  language sql
  immutable
  set search_path = pg_catalog
  return ((lpad(to_hex(((EXTRACT(epoch FROM day) * (1000)::numeric))::bigint), 12, '0'::text) || repeat('0'::text, 20)))::uuid;
