create or replace function data.keep_project_members()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin delete from data.work_project_members where tenant_id = new.tenant_id and project_id = new.id;
 insert into data.work_project_members (tenant_id, project_id, member_id)
   select new.tenant_id, new.id, m.id from (
     select x::uuid as id from jsonb_array_elements_text(new.member_ids) x
     union select new.owner_id where new.owner_id is not null) m;
 return null; end
$$;
