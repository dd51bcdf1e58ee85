create or replace function data.count_milestones()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin update data.work_projects p set milestones = m.whole, open_milestones = m.open, unaccepted_milestones = m.unaccepted,
     next_milestone_date = m.next_date
   from (select count(*) as whole, count(*) filter (where status = 'open') as open,
       count(*) filter (where status = 'reached' and acceptance_required) as unaccepted,
       min(due_date) filter (where status = 'open') as next_date
     from data.work_milestones
     where tenant_id = new.tenant_id and project_id = new.project_id and deleted_at is null) m
   where p.tenant_id = new.tenant_id and p.id = new.project_id;
 return null; end
$$;
