import type { QueryRunner } from 'typeorm';

/** The collation of names, for alphabetical order. ADR 0036. */
export const ALPHABET = 'data.alphabet';

/** The index for sorting a list by a text column and filtering it by equality. */
export async function alphabetIndex(runner: QueryRunner, table: string, column: string): Promise<void> {
  const [, name = ''] = table.split('.');
  await runner.query(
    `create index ${name}_${column}_sort_idx on ${table} (tenant_id, ${column} collate ${ALPHABET}, id)`,
  );
}
