import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a text is a JSON object. PostgreSQL has a predicate for it only since version 16. */
export class JsonObjects1763700000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function data.is_json_object(value text) returns boolean language plpgsql immutable strict
        set search_path = pg_catalog as $$
      begin
        return json_typeof(value::json) = 'object';
      exception when others then
        return false;
      end $$`);
  }

  async down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}
