create or replace function data.refuse_change()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  raise exception 'the audit log is append-only' using errcode = 'TOP03';
end
$$;
