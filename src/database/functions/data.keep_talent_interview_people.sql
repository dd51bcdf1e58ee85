create or replace function data.keep_talent_interview_people()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  if tg_op = 'UPDATE' then
    delete from data.talent_interview_people where tenant_id = new.tenant_id and interview_id = new.id;
  end if;
  insert into data.talent_interview_people (tenant_id, interviewer_id, interview_id)
    select distinct new.tenant_id, v::uuid, new.id from jsonb_array_elements_text(new.interviewer_ids) v;
  return null;
end
$$;
