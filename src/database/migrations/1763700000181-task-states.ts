import type { MigrationInterface, QueryRunner } from 'typeorm';
import { alphabetIndex } from '#libs/database/alphabet.js';
import { guardHeldRecords, keepUnderHold } from '#libs/database/legal-holds.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { fail, triggerFunction } from './1763700000007-work-triggers.js';

const STATES = 'data.work_task_states';

/**
 * Task states of the tenant. A task in one of them keeps a default state of the same category in `state`, on which the
 * rules and figures depend.
 */
export class TaskStates1763700000181 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await recordTable(
      runner,
      STATES,
      'work.task_state',
      `
      key text not null check (length(key) <= 40
        and key not in ('backlog', 'todo', 'in_progress', 'in_review', 'done', 'cancelled')),
      category text not null check (category in ('backlog', 'unstarted', 'started', 'done', 'cancelled')),
      position integer not null check (position between 0 and 10000),
      status text not null check (status in ('active', 'retired')),
      constraint work_task_states_key_key unique (tenant_id, key),
      constraint work_task_states_of_task unique (tenant_id, id, key, category),
      check (deleted_at is null)`,
    );
    await listIndexes(runner, STATES, { sorts: ['updated_at', 'position'], filters: ['category', 'status'] });
    await alphabetIndex(runner, STATES, 'name');
    await guardHeldRecords(runner, STATES, 'work.task_state');
    await keepUnderHold(runner, STATES);
    await runner.query(`
      alter table data.work_tasks add column custom_state_id uuid, add column custom_state text,
        add constraint work_tasks_custom_state_fkey foreign key (tenant_id, custom_state_id, custom_state, category)
          references ${STATES} (tenant_id, id, key, category),
        add check (num_nulls(custom_state_id, custom_state) in (0, 2))`);
    await runner.query(`
      create index work_tasks_custom_state_idx on data.work_tasks (tenant_id, custom_state_id)
        where custom_state_id is not null`);
    await runner.query('drop index data.work_tasks_state_filter_idx');
    await runner.query(`
      create index work_tasks_state_filter_idx on data.work_tasks
        (tenant_id, (case when custom_state is null then state else custom_state end), created_at desc, id desc)`);
    // The lock keeps a task from entering a state while it is being retired.
    await triggerFunction(
      runner,
      'check_task_state',
      `perform 1 from ${STATES}
         where tenant_id = new.tenant_id and id = new.custom_state_id and status = 'active' for share;
       if not found then
         ${fail('work_tasks_state_is_active', 'The state is retired.')}
       end if;
       return null;`,
    );
    await runner.query(`
      create trigger new_custom_state after insert on data.work_tasks for each row
        when (new.custom_state_id is not null) execute function data.check_task_state()`);
    await runner.query(`
      create trigger custom_state after update on data.work_tasks for each row
        when (new.custom_state_id is not null and new.custom_state_id is distinct from old.custom_state_id)
        execute function data.check_task_state()`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
