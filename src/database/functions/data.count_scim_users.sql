create or replace function data.count_scim_users()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'INSERT' then
    perform data.add_members(d.tenant_id, 'scim_user', d.subject, d.n) from (
      select tenant_id, subject, sum(n)::integer as n from (select tenant_id, config_id as subject, 1 as n from fresh where config_id is not null and deleted_at is null) c group by 1, 2 having sum(n) <> 0) d;
  else
    perform data.add_members(d.tenant_id, 'scim_user', d.subject, d.n) from (
      select tenant_id, subject, sum(n)::integer as n from (select tenant_id, config_id as subject, 1 as n from fresh where config_id is not null and deleted_at is null union all select tenant_id, config_id as subject, -1 as n from former where config_id is not null and deleted_at is null) c group by 1, 2 having sum(n) <> 0) d;
  end if;
  return null;
end
$$;
