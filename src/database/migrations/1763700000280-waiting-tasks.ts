import type { MigrationInterface, QueryRunner } from 'typeorm';
import { fail, triggerFunction } from './1763700000007-work-triggers.js';

/**
 * A task waits for its blockers and for its parts. The two kinds of waiting together have no cycle, since no task in one
 * could ever be completed. The triggers come after `tree` and `blockers`, which hold the lock of the project.
 */
export class WaitingTasks1763700000280 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await triggerFunction(
      runner,
      'check_task_waits',
      `if exists (
           with recursive awaited (id) as (
             select blocker_id from data.work_task_blockers where tenant_id = new.tenant_id and task_id = new.id
             union select id from data.work_tasks where tenant_id = new.tenant_id and parent_id = new.id
             union (
               with last as (select id from awaited)
               select b.blocker_id from last join data.work_task_blockers b
                 on b.tenant_id = new.tenant_id and b.task_id = last.id
               union all select t.id from last join data.work_tasks t
                 on t.tenant_id = new.tenant_id and t.parent_id = last.id))
           select 1 from awaited where id = new.id) then
         if tg_op = 'INSERT' or new.blocked_by_ids <> old.blocked_by_ids then
           ${fail('work_tasks_no_blocking_cycle', 'A task would wait for itself.')}
         end if;
         ${fail('work_tasks_no_waiting_parent', 'A task would wait for itself through its parent.')}
       end if;
       return null;`,
    );
    await runner.query(`
      create trigger new_waits after insert on data.work_tasks for each row
        when (new.parent_id is not null and new.blocked_by_ids <> '[]') execute function data.check_task_waits()`);
    await runner.query(`
      create trigger waits after update on data.work_tasks for each row
        when (new.blocked_by_ids <> old.blocked_by_ids or new.parent_id is distinct from old.parent_id)
        execute function data.check_task_waits()`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
