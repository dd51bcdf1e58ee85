create or replace function data.guard_application()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin
  perform 1 from data.talent_jobs j
    where j.tenant_id = new.tenant_id and j.id = new.job_id and j.status = 'open' for share;
  if not found then
    raise exception 'the job is not open' using errcode = '23514', constraint = 'talent_applications_job_open';
  end if;
  return null;
end
$$;
