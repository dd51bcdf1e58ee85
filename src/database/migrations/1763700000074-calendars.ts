import type { MigrationInterface, QueryRunner } from 'typeorm';
import { alphabetIndex } from '#libs/database/alphabet.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';

/** Working hours and holidays of a tenant. */
export class Calendars1763700000074 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await recordTable(
      runner,
      'data.settings_calendars',
      'core.calendar',
      `
      timezone text not null,
      working_hours jsonb not null check (jsonb_typeof(working_hours) = 'array'),
      holidays jsonb not null check (jsonb_typeof(holidays) = 'array'),
      check (deleted_at is null)`,
    );
    await listIndexes(runner, 'data.settings_calendars', { sorts: ['updated_at'], filters: [] });
    await alphabetIndex(runner, 'data.settings_calendars', 'name');
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
