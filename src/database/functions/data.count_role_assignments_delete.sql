create or replace function data.count_role_assignments_delete()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform data.add_members(d.tenant_id, 'role', d.role_id, d.n) from (
    select tenant_id, role_id, (-1 * count(*))::integer as n from (
      select c.tenant_id, c.role_id from changed c
        join data.memberships m on m.tenant_id = c.tenant_id and m.id = c.membership_id and m.deleted_at is null
      group by c.tenant_id, c.role_id, c.membership_id having (select count(*) from data.role_assignments a
    where a.tenant_id = c.tenant_id and a.membership_id = c.membership_id and a.role_id = c.role_id) = 0) p
    group by 1, 2) d;
  return null;
end
$$;
