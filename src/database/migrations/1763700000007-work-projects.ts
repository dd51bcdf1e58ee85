import type { QueryRunner } from 'typeorm';
import { fail, triggerFunction } from './1763700000007-work-triggers.js';

/** Figures of a project that only triggers of its parts write. */
const FIGURES = [
  'backlog_tasks',
  'unstarted_tasks',
  'started_tasks',
  'done_tasks',
  'cancelled_tasks',
  'estimated_tasks',
  'estimate_minutes',
  'done_estimate_minutes',
  'milestones',
  'open_milestones',
  'unaccepted_milestones',
  'next_milestone_date',
  'spent_minutes',
  'spent_minor',
  'unbilled_minutes',
  'unbilled_minor',
  'approved_entries',
];

/** PL/pgSQL: more than so many percent of a budget are spent. */
const uses = (percent: number): string =>
  `coalesce(new.spent_minor * 100 > new.budget_minor * ${percent}, false)
     or coalesce(new.spent_minutes * 100 > new.budget_minutes::bigint * ${percent}, false)`;

/**
 * PL/pgSQL: the days from which on a project is off track and at risk, if nothing else happens: never is infinity, always
 * is -infinity. A project that has ended or is on hold stays as it was then.
 */
const HEALTH_DAYS = `
  held := (new.held_seconds / 86400)::integer;
  ended_on := (coalesce(new.completed_at, new.cancelled_at, new.held_at) at time zone 'UTC')::date;
  new.off_track_on := case when ${uses(100)} then '-infinity'::date
    else coalesce(new.target_date + held + 1, 'infinity') end;
  if new.status in ('active', 'on_hold') and new.progress_percent > 0 then
    pace_on := new.start_date + held + 1
      + (new.progress_percent::bigint * (new.target_date - new.start_date) / 1000000)::integer;
  end if;
  new.at_risk_on := case when ${uses(85)} then '-infinity'::date
    else coalesce(least(new.next_milestone_date + 1, pace_on), 'infinity') end;
  if ended_on is not null then
    new.off_track_on := case when new.off_track_on <= ended_on then '-infinity'::date else 'infinity' end;
    new.at_risk_on := case when new.at_risk_on <= ended_on then '-infinity'::date else 'infinity' end;
  end if;
  if new.off_track_on = '-infinity' then
    new.at_risk_on := 'infinity';
  end if;`;

/**
 * The figures of a project stand in its own row, so that lists cost nothing more and can be sorted by them. A service
 * that writes the row back cannot change them: only statements of triggers can.
 */
export async function keepProjects(runner: QueryRunner): Promise<void> {
  await triggerFunction(
    runner,
    'keep_project_figures',
    `${FIGURES.map((column) => `new.${column} := old.${column};`).join(' ')} return new;`,
  );
  await runner.query(`
    create trigger a_figures before update on data.work_projects for each row
      when (pg_trigger_depth() = 0) execute function data.keep_project_figures()`);

  // Done of all that are not cancelled: by estimate where every task has one, else by count.
  await triggerFunction(
    runner,
    'keep_project_progress',
    `if new.progress_method = 'milestones' then
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
     ${HEALTH_DAYS}
     return new;`,
    'whole bigint; part bigint; ended_on date; held integer; pace_on date;',
  );
  await runner.query(`
    create trigger b_progress before insert or update on data.work_projects for each row
      execute function data.keep_project_progress()`);

  await triggerFunction(
    runner,
    'check_project_change',
    `if new.key <> old.key and old.next_task_number > 1 then
       ${fail('work_projects_key_is_fixed', 'The key stands in the numbers of tasks.')}
     end if;
     if new.currency <> old.currency and old.spent_minor > 0 then
       ${fail('work_projects_currency_is_fixed', 'Approved time is valued in this currency.')}
     end if;
     return null;`,
  );
  await runner.query(`
    create trigger changes after update on data.work_projects for each row
      when (new.key <> old.key or new.currency <> old.currency) execute function data.check_project_change()`);

  await triggerFunction(
    runner,
    'keep_project_members',
    `delete from data.work_project_members where tenant_id = new.tenant_id and project_id = new.id;
     insert into data.work_project_members (tenant_id, project_id, member_id)
       select new.tenant_id, new.id, m.id from (
         select x::uuid as id from jsonb_array_elements_text(new.member_ids) x
         union select new.owner_id where new.owner_id is not null) m;
     return null;`,
  );
  await runner.query(`
    create trigger new_members after insert on data.work_projects for each row
      when (new.member_ids <> '[]' or new.owner_id is not null) execute function data.keep_project_members()`);
  await runner.query(`
    create trigger members after update on data.work_projects for each row
      when (new.member_ids <> old.member_ids or new.owner_id is distinct from old.owner_id)
      execute function data.keep_project_members()`);

  await triggerFunction(
    runner,
    'count_milestones',
    `update data.work_projects p set milestones = m.whole, open_milestones = m.open, unaccepted_milestones = m.unaccepted,
         next_milestone_date = m.next_date
       from (select count(*) as whole, count(*) filter (where status = 'open') as open,
           count(*) filter (where status = 'reached' and acceptance_required) as unaccepted,
           min(due_date) filter (where status = 'open') as next_date
         from data.work_milestones
         where tenant_id = new.tenant_id and project_id = new.project_id and deleted_at is null) m
       where p.tenant_id = new.tenant_id and p.id = new.project_id;
     return null;`,
  );
  await runner.query(`
    create trigger new_figures after insert on data.work_milestones for each row
      execute function data.count_milestones()`);
  await runner.query(`
    create trigger figures after update on data.work_milestones for each row
      when (new.status <> old.status or new.due_date is distinct from old.due_date
        or new.acceptance_required <> old.acceptance_required or new.deleted_at is distinct from old.deleted_at)
      execute function data.count_milestones()`);
}
