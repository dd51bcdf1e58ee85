import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrationRoles } from '#libs/database/tenant-table.js';

/** What belongs to a record moves to the one that it is merged into. */
export class MergedReferences1763700000262 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { app, system } = migrationRoles();
    for (const [table, columns] of Object.entries(MOVED))
      await runner.query(`grant update (${columns}) on data.${table} to ${app}, ${system}`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

const MOVED = { attachments: 'record_id', record_links: 'record_id, other_id', record_watchers: 'record_id' };
