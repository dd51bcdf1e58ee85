create or replace function data.check_day()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin perform pg_advisory_xact_lock(hashtextextended(
   'work.day ' || new.tenant_id || new.membership_id || new.work_date, 0));
 if (select sum(minutes) from data.work_time_entries where tenant_id = new.tenant_id
     and membership_id = new.membership_id and work_date = new.work_date and deleted_at is null) > 1440 then
   raise exception 'A day has 1440 minutes.' using errcode = 'check_violation', constraint = 'work_time_entries_day';
 end if;
 return null; end
$$;
