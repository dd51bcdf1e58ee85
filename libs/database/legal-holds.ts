import type { QueryRunner } from 'typeorm';
import { migrationRoles } from './tenant-table.js';

/** SQLSTATE of a refused deletion of a record that is under a legal hold. */
export const UNDER_HOLD = 'TOP14';

/**
 * Makes PostgreSQL refuse to put a held record of a table into the trash or to delete it, and lets the worker delete
 * the others. Every table of a record type needs it. Other writes only evaluate the condition of the trigger.
 */
export async function guardHeldRecords(runner: QueryRunner, table: string, type: string): Promise<void> {
  const { system } = migrationRoles();
  await runner.query(`
    create trigger held_trash after update on ${table} for each row
      when (new.deleted_at is not null and old.deleted_at is null) execute function data.refuse_trash_of_held('${type}')`);
  await runner.query(`
    create trigger held_delete after delete on ${table} referencing old table as gone
      for each statement execute function data.refuse_delete_of_held('${type}')`);
  await runner.query(`grant delete on ${table} to ${system}`);
}

/**
 * Keeps a record under the active holds that cover it when a change takes it out of their scope. Every table of a record
 * type needs it, besides {@link guardHeldRecords}.
 */
export async function keepUnderHold(runner: QueryRunner, table: string): Promise<void> {
  await runner.query(
    `create trigger held_change after update on ${table} for each row execute function data.keep_under_hold()`,
  );
}
