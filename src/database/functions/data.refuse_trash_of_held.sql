create or replace function data.refuse_trash_of_held()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('legal_hold:' || old.tenant_id, 0));
  if exists (select from data.legal_holds h where h.tenant_id = old.tenant_id and h.status = 'active') then
    perform data.refuse_held(data.is_held(old.tenant_id, tg_argv[0], to_jsonb(old)));
  end if;
  return null;
end
$$;
