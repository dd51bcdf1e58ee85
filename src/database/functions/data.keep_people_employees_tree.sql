create or replace function data.keep_people_employees_tree()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('people_employees|' || new.tenant_id::text, 0));
  if exists (
    with recursive above (id) as (
      select new.manager_id
      union select x.manager_id from data.people_employees x join above on above.id = x.id
        where x.tenant_id = new.tenant_id and x.manager_id is not null)
    select 1 from above where above.id = new.id)
  then
    raise exception 'the rows lead in a circle' using errcode = '23514', constraint = 'people_employees_tree';
  end if;
  return null;
end
$$;
