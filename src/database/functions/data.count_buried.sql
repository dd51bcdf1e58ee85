create or replace function data.count_buried()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform data.add_members(d.tenant_id, d.kind, d.subject, d.n) from (
    with buried as (
      select tenant_id, id from fresh join former using (tenant_id, id)
      where fresh.deleted_at is not null and former.deleted_at is null)
    select tenant_id, kind, subject, -count(distinct membership_id)::integer as n from (
      select a.tenant_id, 'role' as kind, a.role_id as subject, a.membership_id from data.role_assignments a
      where (a.tenant_id, a.membership_id) in (select tenant_id, id from buried) union all
      select a.tenant_id, 'workspace' as kind, a.workspace_id as subject, a.membership_id from data.workspace_members a
      where (a.tenant_id, a.membership_id) in (select tenant_id, id from buried)) h
    group by 1, 2, 3) d;
  return null;
end
$$;
