create or replace function data.check_time_entry()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
declare
  wordless data.work_time_entries := new;
begin
  if current_setting('app.erasing', true) = old.id::text and new.status in ('approved', 'invoiced') then
    wordless.name := old.name;
    wordless.note := old.note;
    if (wordless.membership_id, wordless.project_id, wordless.task_id, wordless.work_date, wordless.minutes, wordless.billable, wordless.note, wordless.name, wordless.rate_minor, wordless.amount_minor, wordless.approved_at) is not distinct from (old.membership_id, old.project_id, old.task_id, old.work_date, old.minutes, old.billable, old.note, old.name, old.rate_minor, old.amount_minor, old.approved_at) then return new; end if;
  end if;
  raise exception 'Approved time does not change.'
    using errcode = 'check_violation', constraint = 'work_time_entries_approved_is_fixed';
end
$$;
