create or replace function data.keep_people_skills()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare r alias for new;
begin
  if tg_op = 'UPDATE' then
    delete from data.people_skills where tenant_id = new.tenant_id and employee_id = new.id;
  end if;
  insert into data.people_skills (tenant_id, employee_id, skill) select distinct new.tenant_id, new.id, data.fold(x ->> 'name') from jsonb_array_elements(r.skills) x;
  return null;
end
$$;
