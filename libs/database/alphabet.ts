import type { QueryRunner } from 'typeorm';

/** The collation of names, which puts them in the order in which people look for them. ADR 0036. */
export const ALPHABET = 'data.alphabet';

/** The index behind the sort of a list by a column that people read, and behind its filter by equality. */
export async function alphabetIndex(runner: QueryRunner, table: string, column: string): Promise<void> {
  const [, name = ''] = table.split('.');
  await runner.query(
    `create index ${name}_${column}_sort_idx on ${table} (tenant_id, ${column} collate ${ALPHABET}, id)`,
  );
}
