create or replace function directory.claim_founding(new_id uuid, person uuid, most integer)
  returns boolean
  language plpgsql
  security definer
  set search_path = pg_catalog
as $$
begin
  perform 1 from directory.users u where u.id = person for update;
  if (select count(*) from directory.founders f join directory.tenants t on t.id = f.tenant_id
      where f.user_id = person and t.closed_at is null) >= most then
    return false;
  end if;
  insert into directory.founders (tenant_id, user_id) values (new_id, person);
  return true;
end
$$;
