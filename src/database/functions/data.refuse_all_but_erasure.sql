create or replace function data.refuse_all_but_erasure()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  erased data.audit_log := old;
begin
  if tg_op = 'UPDATE' and old.erased_at is null and new.erased_at is not null then
    erased.details := data.erased_details(old.details, old.outcome);
    erased.details_salt := null;
    erased.erased_at := new.erased_at;
    -- A generated column, which has no value yet when the trigger runs.
    erased.search := new.search;
    if new *= erased then return new; end if;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'TOP03';
end
$$;
