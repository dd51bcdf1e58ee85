create or replace function data.count_invitations()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'INSERT' then
    perform data.add_members(d.tenant_id, 'seat', d.subject, d.n) from (
      select tenant_id, subject, sum(n)::integer as n from (select tenant_id, tenant_id as subject, 1 as n from fresh where status = 'pending') c group by 1, 2 having sum(n) <> 0) d;
  else
    perform data.add_members(d.tenant_id, 'seat', d.subject, d.n) from (
      select tenant_id, subject, sum(n)::integer as n from (select tenant_id, tenant_id as subject, 1 as n from fresh where status = 'pending' union all select tenant_id, tenant_id as subject, -1 as n from former where status = 'pending') c group by 1, 2 having sum(n) <> 0) d;
  end if;
  return null;
end
$$;
