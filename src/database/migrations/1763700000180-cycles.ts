import type { MigrationInterface, QueryRunner } from 'typeorm';
import { alphabetIndex } from '#libs/database/alphabet.js';
import { guardHeldRecords, keepUnderHold } from '#libs/database/legal-holds.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { fail, triggerFunction } from './1763700000007-work-triggers.js';

const CYCLES = 'data.work_cycles';

/** Cycles of projects and workspaces, and the cycle of a task. */
export class Cycles1763700000180 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await recordTable(
      runner,
      CYCLES,
      'work.cycle',
      `
      project_id uuid,
      goal text check (length(goal) <= 5000),
      start_date date not null,
      end_date date not null,
      status text not null check (status in ('upcoming', 'current', 'closed')),
      closed_at timestamptz(3),
      scope_tasks integer,
      done_tasks integer,
      carried_tasks integer,
      constraint work_cycles_place check (project_id is not null or workspace_id is not null),
      constraint work_cycles_overlap exclude using gist (tenant_id with =, project_id with =,
        daterange(start_date, end_date, '[]') with &&) where (project_id is not null and deleted_at is null),
      constraint work_cycles_project_id_fkey foreign key (tenant_id, project_id)
        references data.work_projects (tenant_id, id),
      check (end_date >= start_date),
      check ((status = 'closed') = (closed_at is not null)),
      check (num_nulls(closed_at, scope_tasks, done_tasks, carried_tasks) in (0, 4)),
      check (scope_tasks = done_tasks + carried_tasks)`,
    );
    await listIndexes(runner, CYCLES, {
      sorts: ['updated_at', 'start_date', 'end_date'],
      filters: ['project_id', 'status', 'closed_at'],
    });
    await alphabetIndex(runner, CYCLES, 'name');
    await guardHeldRecords(runner, CYCLES, 'work.cycle');
    await keepUnderHold(runner, CYCLES);
    await runner.query(`
      alter table data.work_tasks add column cycle_id uuid,
        add constraint work_tasks_cycle_id_fkey foreign key (tenant_id, cycle_id)
          references ${CYCLES} (tenant_id, id)`);
    await runner.query(
      `create index work_tasks_cycle_id_filter_idx on data.work_tasks (tenant_id, cycle_id, created_at desc, id desc)`,
    );
    await keepCycles(runner);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

/** The lock keeps a task from entering a cycle while it is being closed. */
async function keepCycles(runner: QueryRunner): Promise<void> {
  await triggerFunction(
    runner,
    'check_task_cycle',
    `select project_id, workspace_id, status into cycle from ${CYCLES}
       where tenant_id = new.tenant_id and id = new.cycle_id for share;
     if cycle.status = 'closed' then
       ${fail('work_tasks_cycle_is_open', 'The cycle is closed.')}
     end if;
     if cycle.project_id is null then
       if cycle.workspace_id is distinct from coalesce(new.workspace_id,
           (select workspace_id from data.work_projects where tenant_id = new.tenant_id and id = new.project_id)) then
         ${fail('work_tasks_cycle_of_project', 'The cycle belongs to another workspace.')}
       end if;
     elsif cycle.project_id is distinct from new.project_id then
       ${fail('work_tasks_cycle_of_project', 'The cycle belongs to another project.')}
     end if;
     return null;`,
    'cycle record;',
  );
  await runner.query(`
    create trigger new_cycle after insert on data.work_tasks for each row
      when (new.cycle_id is not null) execute function data.check_task_cycle()`);
  await runner.query(`
    create trigger cycle after update on data.work_tasks for each row
      when (new.cycle_id is not null and new.cycle_id is distinct from old.cycle_id)
      execute function data.check_task_cycle()`);
}
