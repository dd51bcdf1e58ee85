create or replace function data.count_workspace_members_delete()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform data.add_members(d.tenant_id, 'workspace', d.workspace_id, d.n) from (
    select tenant_id, workspace_id, (-1 * count(*))::integer as n from (
      select c.tenant_id, c.workspace_id from changed c
        join data.memberships m on m.tenant_id = c.tenant_id and m.id = c.membership_id and m.deleted_at is null
      group by c.tenant_id, c.workspace_id, c.membership_id having (select count(*) from data.workspace_members a
    where a.tenant_id = c.tenant_id and a.membership_id = c.membership_id and a.workspace_id = c.workspace_id) = 0) p
    group by 1, 2) d;
  return null;
end
$$;
