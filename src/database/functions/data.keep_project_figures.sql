create or replace function data.keep_project_figures()
  returns trigger
  language plpgsql
  set search_path = pg_catalog
as $$
begin new.backlog_tasks := old.backlog_tasks; new.unstarted_tasks := old.unstarted_tasks; new.started_tasks := old.started_tasks; new.done_tasks := old.done_tasks; new.cancelled_tasks := old.cancelled_tasks; new.estimated_tasks := old.estimated_tasks; new.estimate_minutes := old.estimate_minutes; new.done_estimate_minutes := old.done_estimate_minutes; new.milestones := old.milestones; new.open_milestones := old.open_milestones; new.unaccepted_milestones := old.unaccepted_milestones; new.next_milestone_date := old.next_milestone_date; new.spent_minutes := old.spent_minutes; new.spent_minor := old.spent_minor; new.unbilled_minutes := old.unbilled_minutes; new.unbilled_minor := old.unbilled_minor; new.approved_entries := old.approved_entries; new.invoiced_minor := old.invoiced_minor; return new; end
$$;
