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

/** Those whose searches did not know the reference. */
const WITHOUT_REFERENCE: Record<string, readonly string[]> = {
  'data.people_departments': ['cost_center'],
  'data.people_employees': ['employee_number', 'preferred_name', 'job_title', 'work_email'],
};

/** Every list of records can be searched, by name and reference at least. */
export class SearchEverywhere1763700000350 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, columns] of Object.entries(TABLES)) {
      await runner.query(`alter table ${table} ${addWords(columns)}`);
      await searchable(runner, table);
      await sqlFunction(runner, searchFunctionOf(table));
      await definerFunction(runner, `${searchFunctionOf(table)}(text)`);
    }
    for (const [table, columns] of Object.entries(WITHOUT_REFERENCE)) {
      await runner.query(`drop policy search on ${table}`);
      await runner.query(`alter table ${table} drop column search, ${addWords(columns)}`);
      await searchable(runner, table);
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

function addWords(columns: readonly string[]): string {
  const text = ['name', 'reference', ...columns.map((column) => `coalesce(${column}, '')`)].join(` || ' ' || `);
  return `add column search tsvector not null generated always as (${searchedWords(`data.fold(${text})`)}) stored`;
}
