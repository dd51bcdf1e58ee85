create or replace function data.refuse_ledger_change()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'DELETE' then
    if old.sample then return old; end if;
  end if;
  raise exception 'the ledger is append-only' using errcode = 'TOP03';
end
$$;
