import type { QueryRunner } from 'typeorm';

/**
 * Requires that a reference column is set only to a live record: not deleted, not merged. Otherwise `TOP04` is raised
 * with the pointer as its message (`data.expect_live`).
 * @param table schema-qualified.
 */
export async function keepLive(
  runner: QueryRunner,
  table: string,
  reference: { column: string; target: string; pointer: string },
): Promise<void> {
  const { column, target, pointer } = reference;
  const call = `execute function data.expect_live('${target}', '${column}', '${pointer}')`;
  await runner.query(
    `create trigger new_${column}_lives after insert on ${table} for each row when (new.${column} is not null) ${call}`,
  );
  await runner.query(
    `create trigger ${column}_lives after update on ${table} for each row
       when (new.${column} is not null and new.${column} is distinct from old.${column}) ${call}`,
  );
}

/** {@link keepLive} for a record's account. */
export function keepAccountLive(runner: QueryRunner, table: string): Promise<void> {
  return keepLive(runner, table, { column: 'account_id', target: 'data.sales_accounts', pointer: '/accountId' });
}
