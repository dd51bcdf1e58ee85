import type { QueryRunner } from 'typeorm';
import { fail, triggerFunction } from './1763700000007-work-triggers.js';

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
    `if new.number is null then
       ${fail('work_tasks_number_in_project', 'A task of a project has a number.')}
     end if;
     update data.work_projects p set backlog_tasks = backlog_tasks + d.backlog,
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
