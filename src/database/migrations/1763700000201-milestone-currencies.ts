import type { MigrationInterface, QueryRunner } from 'typeorm';
import { fail, triggerFunction } from './1763700000007-work-triggers.js';

/** The amount of an open milestone is in its project's currency, which therefore stays as it is. */
export class MilestoneCurrencies1763700000201 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await triggerFunction(
      runner,
      'check_milestone_currency',
      `if exists (
           select 1 from data.work_milestones
           where tenant_id = new.tenant_id and project_id = new.id and status = 'open' and billable_minor > 0
             and deleted_at is null) then
         ${fail('work_projects_currency_of_milestones', 'Open milestones have amounts in this currency.')}
       end if;
       return null;`,
    );
    await runner.query(`
      create trigger milestone_currency after update on data.work_projects for each row
        when (new.currency <> old.currency) execute function data.check_milestone_currency()`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
