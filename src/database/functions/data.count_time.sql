create or replace function data.count_time()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare d record;
begin for d in
   select (e).project_id as id, coalesce(sum(sign * (e).minutes) filter (where (e).status <> 'rejected'), 0) as minutes,
     coalesce(sum(sign * (e).amount_minor) filter (where (e).status in ('approved', 'invoiced')), 0) as amount,
     coalesce(sum(sign * (e).minutes) filter (where (e).status = 'approved' and (e).billable), 0) as unbilled,
     coalesce(sum(sign * (e).amount_minor) filter (where (e).status = 'approved' and (e).billable), 0) as unbilled_amount,
     coalesce(sum(sign) filter (where (e).status in ('approved', 'invoiced')), 0) as approved
   from (values (-1, old), (1, new)) x (sign, e) where (e).id is not null and (e).deleted_at is null and (e).project_id is not null group by (e).project_id order by (e).project_id
 loop
   update data.work_projects set spent_minutes = spent_minutes + d.minutes, spent_minor = spent_minor + d.amount,
       unbilled_minutes = unbilled_minutes + d.unbilled, unbilled_minor = unbilled_minor + d.unbilled_amount,
       approved_entries = approved_entries + d.approved
     where tenant_id = new.tenant_id and id = d.id;
 end loop;
 for d in
   select (e).task_id as id, coalesce(sum(sign * (e).minutes) filter (where (e).status <> 'rejected'), 0) as minutes
   from (values (-1, old), (1, new)) x (sign, e) where (e).id is not null and (e).deleted_at is null and (e).task_id is not null group by (e).task_id order by (e).task_id
 loop
   update data.work_tasks set spent_minutes = spent_minutes + d.minutes
     where tenant_id = new.tenant_id and id = d.id and d.minutes <> 0;
 end loop;
 return null; end
$$;
