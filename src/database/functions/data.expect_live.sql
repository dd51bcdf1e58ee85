create or replace function data.expect_live()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  found boolean;
begin
  execute format('select true from %s where tenant_id = $1 and id = $2 and deleted_at is null
    and merged_into_id is null for key share', tg_argv[0])
    into found using new.tenant_id, (to_jsonb(new) ->> tg_argv[1])::uuid;
  if found is null then
    raise exception '%', tg_argv[2] using errcode = 'TOP04';
  end if;
  return null;
end
$$;
