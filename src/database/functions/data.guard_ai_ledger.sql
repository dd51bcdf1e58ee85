create or replace function data.guard_ai_ledger()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  raise exception 'the ledger of AI spending is append-only' using errcode = 'TOP03';
end
$$;
