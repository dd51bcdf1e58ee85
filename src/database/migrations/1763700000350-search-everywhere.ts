import type { MigrationInterface, QueryRunner } from 'typeorm';
import { definerFunction } from '#libs/database/definer.js';
import { searchable, searchedWords, searchFunctionOf } from '#libs/database/search.js';
import { sqlFunction } from '../functions.js';

/** The columns in which each list looks for words, besides name and reference. */
const TABLES: Record<string, readonly string[]> = {
  'data.ai_jobs': ['kind'],
  'data.finance_credit_notes': ['number'],
  'data.finance_payments': ['payment_reference'],
  'data.finance_tax_rates': ['code', 'country'],
  'data.home_approvals': ['target_name'],
  'data.people_time_off': [],
  'data.people_time_off_policies': [],
  'data.sales_pipelines': [],
  'data.settings_calendars': [],
  'data.settings_checklist_templates': [],
  'data.settings_custom_fields': ['key'],
  'data.talent_applications': ['job_title'],
  'data.talent_interviews': [],
  'data.talent_offers': ['job_title'],
  'data.talent_scorecards': [],
  'data.work_cycles': ['goal'],
  'data.work_task_states': ['key'],
  'data.work_time_entries': ['note'],
};

/** Every list of records can be searched. */
export class SearchEverywhere1763700000350 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(TABLES)) {
      const text = ['name', 'reference', ...columns.map((column) => `coalesce(${column}, '')`)].join(` || ' ' || `);
      await runner.query(
        `alter table ${table} add column search tsvector not null generated always as (${searchedWords(`data.fold(${text})`)}) stored`,
      );
      await searchable(runner, table);
      await sqlFunction(runner, searchFunctionOf(table));
      await definerFunction(runner, `${searchFunctionOf(table)}(text)`);
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
