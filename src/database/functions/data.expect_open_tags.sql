create or replace function data.expect_open_tags(tenant uuid, wanted text[])
  returns boolean
  language plpgsql
  set search_path = pg_catalog
as $$
declare closed text;
begin
  select name into closed from data.tags
    where tenant_id = tenant and key = any(wanted) and archived_at is not null limit 1;
  if closed is not null then
    raise exception '%', closed using errcode = 'TOP13';
  end if;
  return true;
end
$$;
