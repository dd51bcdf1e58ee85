create or replace function data.refuse_terminated()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if exists (select from data.people_employees e where e.tenant_id = new.tenant_id and e.membership_id = new.id
    and e.status = 'terminated' and e.deleted_at is null)
  then
    raise exception 'the employee is terminated' using errcode = '23514', constraint = 'memberships_of_terminated';
  end if;
  return null;
end
$$;
