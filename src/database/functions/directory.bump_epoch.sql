create or replace function directory.bump_epoch()
  returns trigger
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  update directory.tenants set epoch = epoch + 1
    where id = case when tg_op = 'DELETE' then old.tenant_id else new.tenant_id end;
  return null;
end
$$;
