import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ALPHABET, alphabetIndex } from '#libs/database/alphabet.js';
import { EMPTY_LAST, emptyLast } from '#libs/database/empty-last.js';

/** Lists sort every text alphabetically, ADR 0036: also numbers of documents and employees, keys, and stock keeping units. */
export class WordsInOrder1763700000203 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [table, column] of [
      ['people_employees', 'employee_number'],
      ['settings_custom_fields', 'key'],
      ['ai_prompts', 'key'],
    ] as const) {
      await runner.query(`drop index data.${table}_${column}_sort_idx`);
      await alphabetIndex(runner, `data.${table}`, column);
    }
    for (const [table, column] of [
      ['sales_products', 'sku'],
      ['finance_invoices', 'number'],
      ['finance_credit_notes', 'number'],
    ] as const) {
      const { ascending, descending } = EMPTY_LAST['text']!;
      const key = (last: string) => `(${emptyLast(`${column} collate ${ALPHABET}`, last)})`;
      await runner.query(`drop index data.${table}_${column}_up_idx, data.${table}_${column}_down_idx`);
      await runner.query(`create index ${table}_${column}_up_idx on data.${table} (tenant_id, ${key(ascending)}, id)`);
      await runner.query(
        `create index ${table}_${column}_down_idx on data.${table} (tenant_id, ${key(descending)} desc, id desc)`,
      );
    }
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
