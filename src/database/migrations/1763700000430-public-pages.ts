import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { sqlFunction } from '../functions.js';

/** The code alone lists the purposes of public links, a milestone knows who accepted it behind one, and tenants have public pages. */
export class PublicPages1763700000430 implements MigrationInterface {
  name = 'PublicPages1763700000430';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table data.public_links
        drop constraint public_links_purpose_check,
        add constraint public_links_purpose_check check (length(purpose) between 1 and 40)`);
    await runner.query(`
      alter table data.work_milestones
        add column accepted_by text check (length(accepted_by) between 1 and 200)`);
    await sqlFunction(runner, 'directory.served_tenant');
    await definerFunction(runner, 'directory.served_tenant(text)');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
