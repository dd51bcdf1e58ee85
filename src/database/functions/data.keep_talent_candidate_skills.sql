create or replace function data.keep_talent_candidate_skills()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare r alias for new;
begin
  if tg_op = 'UPDATE' then
    delete from data.talent_candidate_skills where tenant_id = new.tenant_id and candidate_id = new.id;
  end if;
  insert into data.talent_candidate_skills (tenant_id, candidate_id, skill) select distinct new.tenant_id, new.id, data.fold(left(x, 100)) from jsonb_array_elements_text(r.skills) x;
  return null;
end
$$;
