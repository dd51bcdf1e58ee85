create or replace function data.refuse_held(held boolean)
  returns void
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if held then raise exception 'the record is under a legal hold' using errcode = 'TOP14'; end if;
end
$$;
