create or replace function data.refuse_proposal_change()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if current_setting('app.erasing', true) = old.id::text then
    return new;
  end if;
  raise exception 'the content of proposal % is final', old.reference using errcode = 'TOP05';
end
$$;
