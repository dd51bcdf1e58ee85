create or replace function data.keep_project_progress()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
  declare whole bigint; part bigint; ended_on date; held integer; pace_on date; used_minor numeric;
  begin
    if new.progress_method = 'milestones' then
      whole := new.milestones;
      part := new.milestones - new.open_milestones;
    elsif new.progress_method = 'tasks' then
      whole := new.backlog_tasks + new.unstarted_tasks + new.started_tasks + new.done_tasks;
      part := new.done_tasks;
      if new.estimated_tasks = whole then
        whole := new.estimate_minutes;
        part := new.done_estimate_minutes;
      end if;
    end if;
    if new.progress_method <> 'manual' then
      new.progress_percent := case when whole = 0 then 0 else div(part::numeric * 1000000, whole) end;
    end if;
    used_minor := data.project_used_minor(new.billing_model, new.spent_minor, new.invoiced_minor);
    held := (new.held_seconds / 86400)::integer;
    ended_on := (coalesce(new.completed_at, new.cancelled_at, new.held_at) at time zone 'UTC')::date;
    new.off_track_on := case when data.project_exceeds(100, new.billing_model, used_minor, new.budget_minor,
        new.spent_minutes, new.budget_minutes) then '-infinity'::date
      else coalesce(new.target_date + held + 1, 'infinity') end;
    if new.status in ('active', 'on_hold') and new.progress_percent > 0 then
      pace_on := new.start_date + held + 1
        + (new.progress_percent::bigint * (new.target_date - new.start_date) / 1000000)::integer;
    end if;
    new.at_risk_on := case when data.project_exceeds(85, new.billing_model, used_minor, new.budget_minor,
        new.spent_minutes, new.budget_minutes) then '-infinity'::date
      else coalesce(least(new.next_milestone_date + 1, pace_on), 'infinity') end;
    if ended_on is not null then
      new.off_track_on := case when new.off_track_on <= ended_on then '-infinity'::date else 'infinity' end;
      new.at_risk_on := case when new.at_risk_on <= ended_on then '-infinity'::date else 'infinity' end;
    end if;
    if new.off_track_on = '-infinity' then
      new.at_risk_on := 'infinity';
    end if;
    return new;
  end
$$;
