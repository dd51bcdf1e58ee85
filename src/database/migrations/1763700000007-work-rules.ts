import type { QueryRunner } from 'typeorm';

/** A trigger function; `body` is PL/pgSQL. */
async function triggerFunction(runner: QueryRunner, name: string, body: string, declare = ''): Promise<void> {
  await runner.query(`
    create function data.${name}() returns trigger language plpgsql set search_path = pg_catalog as $$
    ${declare === '' ? '' : `declare ${declare}`}
    begin ${body} end $$`);
}

/** PL/pgSQL that fails as a broken constraint of this name, so that services can tell which rule it was. */
const fail = (constraint: string, message: string): string =>
  `raise exception '${message}' using errcode = 'check_violation', constraint = '${constraint}';`;

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

/**
 * Who changes what tasks of a project are to each other holds the project's row, so that two requests cannot each
 * make half of a cycle. Personal tasks of a tenant share an advisory lock.
 */
const LOCK_TASKS = `
  if new.project_id is not null then
    perform 1 from data.work_projects where tenant_id = new.tenant_id and id = new.project_id for no key update;
  else
    perform pg_advisory_xact_lock(hashtextextended('work.personal_tasks ' || new.tenant_id, 0));
  end if;`;

/** Tasks: figures of their project, trees without cycles and at most three deep, blockers without cycles. */
export async function keepTasks(runner: QueryRunner): Promise<void> {
  const counted = (category: string) =>
    `coalesce(sum(sign) filter (where (e).category = '${category}'), 0) as ${category}`;
  const estimated = `(e).estimate_minutes is not null and (e).category <> 'cancelled'`;
  await triggerFunction(
    runner,
    'count_tasks',
    `update data.work_projects p set backlog_tasks = backlog_tasks + d.backlog,
         unstarted_tasks = unstarted_tasks + d.unstarted, started_tasks = started_tasks + d.started,
         done_tasks = done_tasks + d.done, cancelled_tasks = cancelled_tasks + d.cancelled,
         estimated_tasks = estimated_tasks + d.estimated, estimate_minutes = p.estimate_minutes + d.minutes,
         done_estimate_minutes = done_estimate_minutes + d.done_minutes,
         next_task_number = greatest(next_task_number, new.number + 1)
       from (select ${['backlog', 'unstarted', 'started', 'done', 'cancelled'].map(counted).join(', ')},
           coalesce(sum(sign) filter (where ${estimated}), 0) as estimated,
           coalesce(sum(sign * (e).estimate_minutes) filter (where ${estimated}), 0) as minutes,
           coalesce(sum(sign * (e).estimate_minutes) filter (where (e).category = 'done'), 0) as done_minutes
         from (values (-1, old), (1, new)) x (sign, e) where (e).id is not null and (e).deleted_at is null) d
       where p.tenant_id = new.tenant_id and p.id = new.project_id;
     return null;`,
  );
  await runner.query(`
    create trigger new_figures after insert on data.work_tasks for each row
      when (new.project_id is not null) execute function data.count_tasks()`);
  await runner.query(`
    create trigger figures after update on data.work_tasks for each row
      when (new.project_id is not null and (new.state <> old.state or new.deleted_at is distinct from old.deleted_at
        or new.estimate_minutes is distinct from old.estimate_minutes))
      execute function data.count_tasks()`);

  await triggerFunction(runner, 'keep_task_spent', `new.spent_minutes := old.spent_minutes; return new;`);
  await runner.query(`
    create trigger a_figures before update on data.work_tasks for each row
      when (pg_trigger_depth() = 0) execute function data.keep_task_spent()`);

  await triggerFunction(
    runner,
    'check_task_tree',
    `${LOCK_TASKS}
     if tg_op = 'UPDATE' and new.project_id is distinct from old.project_id then
       ${fail('work_tasks_project_is_fixed', 'A task stays in its project.')}
     end if;
     if new.parent_id is not null then
       if not exists (select 1 from data.work_tasks where tenant_id = new.tenant_id and id = new.parent_id
           and project_id is not distinct from new.project_id) then
         ${fail('work_tasks_parent_of_project', 'The parent belongs to another project.')}
       end if;
       with recursive up (id, level) as (
         select new.parent_id, 1
         union all select t.parent_id, up.level + 1 from up join data.work_tasks t
           on t.tenant_id = new.tenant_id and t.id = up.id where t.parent_id is not null and up.level < 5)
       select max(level), bool_or(id = new.id) from up into above, cyclic;
       if cyclic then ${fail('work_tasks_no_parent_cycle', 'A task would be its own ancestor.')} end if;
       with recursive down (id, level) as (
         select new.id, 1
         union all select t.id, down.level + 1 from down join data.work_tasks t
           on t.tenant_id = new.tenant_id and t.parent_id = down.id where down.level < 5)
       select max(level) from down into below;
       if above + below > 3 then ${fail('work_tasks_depth', 'Tasks nest at most three deep.')} end if;
       if new.category not in ('done', 'cancelled') and new.deleted_at is null and exists (
           select 1 from data.work_tasks where tenant_id = new.tenant_id and id = new.parent_id and state = 'done'
             and deleted_at is null) then
         ${fail('work_tasks_done_has_no_open_child', 'The parent is done.')}
       end if;
     end if;
     if new.state = 'done' and new.deleted_at is null and exists (
         select 1 from data.work_tasks where tenant_id = new.tenant_id and parent_id = new.id
           and category not in ('done', 'cancelled') and deleted_at is null) then
       ${fail('work_tasks_done_has_no_open_child', 'A child is open.')}
     end if;
     return null;`,
    'above integer; below integer; cyclic boolean;',
  );
  await runner.query(`
    create trigger new_tree after insert on data.work_tasks for each row
      when (new.parent_id is not null) execute function data.check_task_tree()`);
  await runner.query(`
    create trigger tree after update on data.work_tasks for each row
      when (new.parent_id is distinct from old.parent_id or new.project_id is distinct from old.project_id
        or new.state <> old.state or new.deleted_at is distinct from old.deleted_at)
      execute function data.check_task_tree()`);

  await triggerFunction(
    runner,
    'keep_task_blockers',
    `${LOCK_TASKS}
     delete from data.work_task_blockers where tenant_id = new.tenant_id and task_id = new.id;
     insert into data.work_task_blockers (tenant_id, task_id, blocker_id)
       select distinct new.tenant_id, new.id, x::uuid from jsonb_array_elements_text(new.blocked_by_ids) x;
     if exists (select 1 from data.work_task_blockers b join data.work_tasks t
         on t.tenant_id = b.tenant_id and t.id = b.blocker_id
         where b.tenant_id = new.tenant_id and b.task_id = new.id and t.project_id is distinct from new.project_id) then
       ${fail('work_tasks_blocker_of_project', 'A blocker belongs to another project.')}
     end if;
     if exists (
         with recursive before (id) as (
           select blocker_id from data.work_task_blockers where tenant_id = new.tenant_id and task_id = new.id
           union select b.blocker_id from before join data.work_task_blockers b
             on b.tenant_id = new.tenant_id and b.task_id = before.id)
         select 1 from before where id = new.id) then
       ${fail('work_tasks_no_blocking_cycle', 'A task would wait for itself.')}
     end if;
     return null;`,
  );
  await runner.query(`
    create trigger new_blockers after insert on data.work_tasks for each row
      when (new.blocked_by_ids <> '[]') execute function data.keep_task_blockers()`);
  await runner.query(`
    create trigger blockers after update on data.work_tasks for each row
      when (new.blocked_by_ids <> old.blocked_by_ids) execute function data.keep_task_blockers()`);

  await triggerFunction(
    runner,
    'keep_task_assignees',
    `delete from data.work_task_assignees where tenant_id = new.tenant_id and task_id = new.id;
     insert into data.work_task_assignees (tenant_id, task_id, member_id)
       select distinct new.tenant_id, new.id, x::uuid from jsonb_array_elements_text(new.assignee_ids) x;
     return null;`,
  );
  await runner.query(`
    create trigger new_assignees after insert on data.work_tasks for each row
      when (new.assignee_ids <> '[]') execute function data.keep_task_assignees()`);
  await runner.query(`
    create trigger assignees after update on data.work_tasks for each row
      when (new.assignee_ids <> old.assignee_ids) execute function data.keep_task_assignees()`);
}

/** Time: approved entries stay as they are, a day has 1,440 minutes, projects and tasks know what was spent on them. */
export async function keepTime(runner: QueryRunner): Promise<void> {
  await triggerFunction(
    runner,
    'check_time_entry',
    fail('work_time_entries_approved_is_fixed', 'Approved time does not change.'),
  );
  const fixed = ['membership_id', 'project_id', 'task_id', 'work_date', 'minutes', 'billable', 'note', 'name'];
  const frozen = ['rate_minor', 'amount_minor', 'approved_at'];
  await runner.query(`
    create trigger approved before update on data.work_time_entries for each row
      when (old.status in ('approved', 'invoiced') and (new.status not in ('approved', 'invoiced')
        or ${[...fixed, ...frozen].map((column) => `new.${column} is distinct from old.${column}`).join(' or ')}))
      execute function data.check_time_entry()`);

  // The advisory lock lets the requests for one member and day come one after the other.
  await triggerFunction(
    runner,
    'check_day',
    `perform pg_advisory_xact_lock(hashtextextended(
       'work.day ' || new.tenant_id || new.membership_id || new.work_date, 0));
     if (select sum(minutes) from data.work_time_entries where tenant_id = new.tenant_id
         and membership_id = new.membership_id and work_date = new.work_date and deleted_at is null) > 1440 then
       ${fail('work_time_entries_day', 'A day has 1440 minutes.')}
     end if;
     return null;`,
  );
  await runner.query(`
    create trigger new_day after insert on data.work_time_entries for each row
      when (new.minutes is not null) execute function data.check_day()`);
  await runner.query(`
    create trigger day after update on data.work_time_entries for each row
      when (new.minutes is not null and new.deleted_at is null and (new.minutes is distinct from old.minutes
        or new.membership_id <> old.membership_id or new.work_date <> old.work_date or old.deleted_at is not null))
      execute function data.check_day()`);

  const changes = `from (values (-1, old), (1, new)) x (sign, e) where (e).id is not null and (e).deleted_at is null`;
  const counted = `filter (where (e).status <> 'rejected')`;
  const approved = `filter (where (e).status in ('approved', 'invoiced'))`;
  const unbilled = `filter (where (e).status = 'approved' and (e).billable)`;
  await triggerFunction(
    runner,
    'count_time',
    `for d in
       select (e).project_id as id, coalesce(sum(sign * (e).minutes) ${counted}, 0) as minutes,
         coalesce(sum(sign * (e).amount_minor) ${approved}, 0) as amount,
         coalesce(sum(sign * (e).minutes) ${unbilled}, 0) as unbilled,
         coalesce(sum(sign * (e).amount_minor) ${unbilled}, 0) as unbilled_amount,
         coalesce(sum(sign) ${approved}, 0) as approved
       ${changes} and (e).project_id is not null group by (e).project_id order by (e).project_id
     loop
       update data.work_projects set spent_minutes = spent_minutes + d.minutes, spent_minor = spent_minor + d.amount,
           unbilled_minutes = unbilled_minutes + d.unbilled, unbilled_minor = unbilled_minor + d.unbilled_amount,
           approved_entries = approved_entries + d.approved
         where tenant_id = new.tenant_id and id = d.id;
     end loop;
     for d in
       select (e).task_id as id, coalesce(sum(sign * (e).minutes) ${counted}, 0) as minutes
       ${changes} and (e).task_id is not null group by (e).task_id order by (e).task_id
     loop
       update data.work_tasks set spent_minutes = spent_minutes + d.minutes
         where tenant_id = new.tenant_id and id = d.id and d.minutes <> 0;
     end loop;
     return null;`,
    'd record;',
  );
  await runner.query(`
    create trigger new_figures after insert on data.work_time_entries for each row
      when (new.project_id is not null or new.task_id is not null) execute function data.count_time()`);
  await runner.query(`
    create trigger figures after update on data.work_time_entries for each row
      when ((new.project_id is not null or new.task_id is not null or old.project_id is not null
          or old.task_id is not null)
        and (new.status <> old.status or new.minutes is distinct from old.minutes
          or new.project_id is distinct from old.project_id or new.task_id is distinct from old.task_id
          or new.billable <> old.billable or new.deleted_at is distinct from old.deleted_at))
      execute function data.count_time()`);
}
