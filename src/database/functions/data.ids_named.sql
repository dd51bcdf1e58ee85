create or replace function data.ids_named(tenant uuid, r jsonb)
  returns text[]
  language sql
  stable
  set search_path = pg_catalog
as $$
select array(
  select m[1] from regexp_matches((r - 'tenant_id' - 'created_by' - 'updated_by')::text,
    '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') m
  union
  select a.candidate_id::text from data.talent_applications a
    where a.tenant_id = tenant and a.id = (r ->> 'application_id')::uuid
  union
  select p.account_id::text from data.work_projects p
    where p.tenant_id = tenant and p.id = (r ->> 'project_id')::uuid and p.account_id is not null
  union
  select e.membership_id::text from data.people_employees e
    where e.tenant_id = tenant and e.id = (r ->> 'employee_id')::uuid and e.membership_id is not null)
$$;
