import type { MigrationInterface, QueryRunner } from 'typeorm';
import { alphabetIndex } from '#libs/database/alphabet.js';
import { guardHeldRecords, keepUnderHold } from '#libs/database/legal-holds.js';
import { listIndexes, recordTable } from '#libs/database/record-table.js';
import { tenantTable } from '#libs/database/tenant-table.js';

const KIND = `text not null check (%s in ('handoff', 'onboarding', 'offboarding', 'project', 'other'))`;

/** Checklists about records, and the templates that they start from. */
export class Checklists1763700000140 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const templates = 'data.settings_checklist_templates';
    await recordTable(
      runner,
      templates,
      'core.checklist_template',
      `
      applies_to ${KIND.replace('%s', 'applies_to')},
      checklist_items jsonb not null check (jsonb_typeof(checklist_items) = 'array'),
      check (deleted_at is null)`,
    );
    await listIndexes(runner, templates, { sorts: ['updated_at'], filters: ['applies_to'] });
    await alphabetIndex(runner, templates, 'name');
    await guardHeldRecords(runner, templates, 'core.checklist_template');
    await keepUnderHold(runner, templates);
    await runner.query(`
      create table data.checklists (
        tenant_id uuid not null,
        id uuid not null,
        version integer not null check (version > 0),
        title text not null check (length(title) between 1 and 200),
        kind ${KIND.replace('%s', 'kind')},
        subject jsonb not null,
        subject_id uuid generated always as ((subject ->> 'id')::uuid) stored,
        template_id uuid,
        start_date date not null,
        items jsonb not null check (jsonb_typeof(items) = 'array'),
        completed_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        primary key (tenant_id, id),
        foreign key (tenant_id, template_id) references ${templates} (tenant_id, id)
      )`);
    await runner.query(
      `create index checklists_subject_idx on data.checklists (tenant_id, subject_id, created_at, id)`,
    );
    await runner.query(`create index checklists_template_idx on data.checklists (tenant_id, template_id)`);
    await tenantTable(runner, 'data.checklists', { grant: 'select, insert, update, delete' });
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
