import type { MigrationInterface, QueryRunner } from 'typeorm';
import { fail } from './1763700000007-work-triggers.js';

const STATES = 'data.work_task_states';

/** Task states of a project, besides those of the tenant. */
export class ProjectTaskStates1763700000186 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table ${STATES} add column project_id uuid,
        add constraint work_task_states_project_id_fkey foreign key (tenant_id, project_id)
          references data.work_projects (tenant_id, id),
        drop constraint work_task_states_key_key,
        add constraint work_task_states_key_key unique nulls not distinct (tenant_id, project_id, key)`);
    await runner.query(`
      create index work_task_states_project_id_filter_idx on ${STATES} (tenant_id, project_id, created_at desc, id desc)`);
    // The lock keeps a task from entering a state while it is being retired.
    await runner.query(`
      create or replace function data.check_task_state() returns trigger language plpgsql
        set search_path = pg_catalog as $$
      declare state record;
      begin
        select project_id, status into state from ${STATES}
          where tenant_id = new.tenant_id and id = new.custom_state_id for share;
        if state.status is distinct from 'active' then
          ${fail('work_tasks_state_is_active', 'The state is retired.')}
        end if;
        if state.project_id is not null and state.project_id is distinct from new.project_id then
          ${fail('work_tasks_state_of_project', 'The state belongs to another project.')}
        end if;
        return null;
      end $$`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
